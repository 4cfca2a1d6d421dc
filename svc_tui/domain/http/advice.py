"""What to do about an error: one sentence for each kind, shared by the screen and the command line."""

from svc_tui.domain.http import errors

SET_CLOCK = "Set this computer's clock (NTP); the secret is not at fault."
TAKE_AS_PAIR = "Rotation changes key and secret together: take them as a pair."
SET_CLOCK_SOON = "Set this computer's clock (NTP), before signatures are refused for it."

SET_PROXY = " Behind a company's proxy, set HTTPS_PROXY."
"""The end of the advice for an unreachable service, where no proxy is in use."""

_ADVICE: tuple[tuple[type[errors.ServiceError], str], ...] = (
    (errors.CertificateRefused, "Check the base URL, and the certificates that this machine trusts."),
    (errors.ApiKeyMissing, "Something between here and the service removes the Authorization header: find out what."),
    (errors.ApiKeyInvalid, "Check that the key was copied whole."),
    (errors.ApiKeyRevoked, "Rotation gives a new key and a new signing secret: use that pair."),
    (errors.ApiKeyExpired, "Rotate it in the management portal."),
    (errors.SignatureMissing, "Set SVC_SIGNING_SECRET, or signing_secret in the profile."),
    (
        errors.SignatureMismatch,
        "Either the secret is not this key's (rotation changes both), or a proxy on the way changes path or body: F9 "
        "in the console, or svc-tui doctor, tells which.",
    ),
    (errors.TimestampStale, SET_CLOCK),
    (errors.InsufficientScope, "Ask for the scope in the management portal, or use another key."),
    (errors.IpNotAllowed, "Ask for this address on the key's allowlist in the management portal."),
    (errors.NotFound, "Check the path."),
    (errors.Redirected, "Set the base URL to where the service really is."),
)

_LAST_RESORT: tuple[tuple[type[errors.ServiceError], str], ...] = (
    (errors.RequestRefused, "Nothing was sent: mend what it names, in the environment or the profile."),
    (
        errors.ProxyUnreachable,
        "The proxy is named in HTTPS_PROXY or ALL_PROXY: check its address, or put the host into NO_PROXY.",
    ),
    (errors.ProxyRefused, "Ask whoever runs the proxy, or put the host into NO_PROXY where it needs none."),
    (
        errors.Unreachable,
        "The address is the base URL: SVC_BASE_URL for live keys, SVC_SANDBOX_BASE_URL for test keys, or the "
        f"profile's.{SET_PROXY}",
    ),
    (errors.ConnectionBroken, "Try again; if it stays so, ask whoever runs the network, then the service."),
    (errors.BadAnswer, "Check the base URL: a login page or another service may answer there."),
    (errors.RateLimitExceeded, "Wait as long as it says, or ask for a higher limit in the management portal."),
    (errors.ServerFault, "Try again; if it stays so, tell whoever runs the service, or the gateway before it."),
    (errors.StatusError, "Check the base URL, and what stands between here and the service."),
)
"""For errors that need no advice where they are met, told to a user who looks for their cause."""

_SIGNATURE_REMOVED = "Something between here and the service removes the x-svc-* headers: find out what."


def next_step(error: errors.ServiceError) -> str:
    """What to try after `error`, as a sentence; "" where there is nothing to say."""
    if isinstance(error, errors.SignatureMissing) and error.exchange and error.exchange.request.string_to_sign:
        return _SIGNATURE_REMOVED
    return next((advice for kind, advice in _ADVICE if isinstance(error, kind)), "")


def remedy(error: errors.ServiceError) -> str:
    """What to do about `error`, for a user who looks for its cause; "" for none of the tree's kinds."""
    return next_step(error) or next((advice for kind, advice in _LAST_RESORT if isinstance(error, kind)), "")


def error_text(error: errors.ServiceError) -> str:
    """What happened and what to do about it, on one line."""
    return " ".join(filter(None, (str(error).rstrip(".") + ".", next_step(error))))
