"""What to do about an error: one sentence for each kind, shared by the screen and the command line."""

from svc_tui.service import errors

SET_CLOCK = "Set this computer's clock (NTP). The secret is not the problem."
TAKE_AS_PAIR = "Rotating a key also changes its secret. Use the key and secret from the same rotation."
SET_CLOCK_SOON = "Set this computer's clock (NTP) before signatures are refused."

SET_PROXY = " If your company uses a proxy, set HTTPS_PROXY."
"""The end of the advice for an unreachable service, where no proxy is in use."""

_ADVICE: tuple[tuple[type[errors.ServiceError], str], ...] = (
    (errors.CertificateRefused, "Check the base URL and the certificates that this computer trusts."),
    (errors.ApiKeyMissing, "A proxy or gateway removes the Authorization header. Find out which one."),
    (errors.ApiKeyInvalid, "Check that you copied the whole key."),
    (errors.ApiKeyRevoked, "Use the new key and signing secret from the rotation."),
    (errors.ApiKeyExpired, "Rotate the key in the management portal."),
    (errors.SignatureMissing, "Set SVC_SIGNING_SECRET, or signing_secret in the profile."),
    (
        errors.SignatureMismatch,
        "Either the secret does not belong to this key (rotation changes both), or a proxy changes the path or body. "
        "To find out, press f9 in the console or run svc-tui doctor.",
    ),
    (errors.TimestampStale, SET_CLOCK),
    (errors.InsufficientScope, "Ask for the scope in the management portal, or use another key."),
    (errors.IpNotAllowed, "Add this address to the key's allowlist in the management portal."),
    (errors.NotFound, "Check the id and the path."),
    (errors.Redirected, "Set the base URL to the new address of the service."),
)

_LAST_RESORT: tuple[tuple[type[errors.ServiceError], str], ...] = (
    (errors.RequestRefused, "Nothing was sent. Fix the setting in the environment or the profile."),
    (
        errors.ProxyUnreachable,
        "Check the proxy address in HTTPS_PROXY or ALL_PROXY, or add the host to NO_PROXY.",
    ),
    (errors.ProxyRefused, "Ask the proxy administrator, or add the host to NO_PROXY if it needs no proxy."),
    (
        errors.Unreachable,
        "The base URL is set in SVC_BASE_URL for live keys, in SVC_SANDBOX_BASE_URL for test keys, or in the profile."
        f"{SET_PROXY}",
    ),
    (errors.ConnectionBroken, "Try again. If it fails again, contact the network team, then the service team."),
    (errors.BadAnswer, "Check the base URL. It may lead to a login page or another service."),
    (errors.RateLimitExceeded, "Wait for the time shown, or ask for a higher limit in the management portal."),
    (errors.ServerFault, "Try again. If it fails again, contact the service team or the gateway team."),
    (errors.StatusError, "Check the base URL, and any proxy or gateway between this computer and the service."),
)
"""For errors that need no advice where they are met, told to a user who looks for their cause."""

_SIGNATURE_REMOVED = "A proxy or gateway removes the x-svc-* headers. Find out which one."


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
