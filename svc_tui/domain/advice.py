"""What to do about an error: one sentence for each kind, shared by the screen and the command line."""

from svc_tui.domain import errors

_ADVICE: tuple[tuple[type[errors.ServiceError], str], ...] = (
    (errors.CertificateRefused, "Check the base URL, and the certificates that this machine trusts."),
    (errors.ApiKeyMissing, "Something between here and the service removes the Authorization header: find out what."),
    (errors.ApiKeyInvalid, "Check that SVC_API_KEY was copied whole."),
    (errors.ApiKeyRevoked, "Rotation gives a new key and a new signing secret: use that pair."),
    (errors.ApiKeyExpired, "Rotate it in the management portal."),
    (errors.SignatureMissing, "Set SVC_SIGNING_SECRET, or signing_secret in the profile."),
    (errors.SignatureMismatch, "Rotation changes key and secret together: take them as a pair."),
    (errors.TimestampStale, "Set this computer's clock (NTP); the secret is not at fault."),
    (errors.InsufficientScope, "Ask for the scope in the management portal, or use another key."),
    (errors.IpNotAllowed, "Ask for this address on the key's allowlist in the management portal."),
    (errors.NotFound, "Check the path."),
    (errors.Redirected, "Set the base URL to where the service really is."),
)


def next_step(error: errors.ServiceError) -> str:
    """What to try after `error`, as a sentence; "" where there is nothing to say."""
    return next((advice for kind, advice in _ADVICE if isinstance(error, kind)), "")


def told(error: errors.ServiceError) -> str:
    """What happened and what to do about it, on one line."""
    return " ".join(filter(None, (str(error).rstrip(".") + ".", next_step(error))))
