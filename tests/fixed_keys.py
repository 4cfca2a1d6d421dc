"""Keys that a service is started with, so that it takes again what another one took."""

from svc_tui.sandbox.access.keys import POLICIES, IssuedKey, KeySettings


def fixed(*pairs: IssuedKey) -> tuple[KeySettings, ...]:
    """The settings that fix these pairs, each of a name on offer."""
    policies = {policy.name: policy for policy in POLICIES}
    return tuple(KeySettings(policies[pair.name], pair.api_key, pair.signing_secret) for pair in pairs)
