"""Puts a new key pair in the place of a running session's own, once the service takes it."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING

from svc_tui.bootstrap.doctor import ca_variables, run_checks
from svc_tui.bootstrap.start import translate_errors_to
from svc_tui.config.profiles import profile_secrets
from svc_tui.domain.doctor.diagnosis import Check, key_form
from svc_tui.domain.doctor.key_rotation import RotationRefused
from svc_tui.domain.model.credentials import KeyPair
from svc_tui.domain.model.settings import Profile

if TYPE_CHECKING:
    from svc_tui.client.client import SignedClient
    from svc_tui.config.profiles.profiles import Profiles


class ProfileKeyRotation:
    """See `domain.rotation.Rotating`; the files of the profile are read anew each time."""

    def __init__(self, profiles: "Profiles", name: str, variables: Mapping[str, str], client: "SignedClient") -> None:
        """`client` is that of the session of the profile called `name`."""
        self._profiles, self._name, self._variables, self._client = profiles, name, variables, client
        self.secrets: tuple[str, ...] = ()
        """The texts of every pair that was tried, for whatever must not let one out."""

    async def with_secret(self) -> bool:
        """Whether there is a signing secret beside the key; raises RotationRefused where neither can be replaced."""
        return await asyncio.to_thread(self._with_secret)

    def _with_secret(self) -> bool:
        with translate_errors_to(RotationRefused):
            stored = self._profiles.read(self._name)
            profile_secrets.check_replaceable(stored)
            return stored.signing_secret is not None

    async def check(self, pair: KeyPair) -> AsyncIterator[Check]:
        """What the pair tells by itself, then what the service tells; raises RotationRefused."""
        self.secrets += pair.secrets
        profile = await asyncio.to_thread(self._fitting, pair)
        yield key_form(pair)
        async for check in run_checks(profile, pair, ca_variables(self._variables)):
            yield check

    def _fitting(self, pair: KeyPair) -> Profile:
        """The profile, which the pair can be one of."""
        with translate_errors_to(RotationRefused):
            stored = self._profiles.read(self._name)
            profile_secrets.check_pair(self._profiles, stored, pair, self._variables)
            return stored.profile

    async def replace(self, pair: KeyPair) -> None:
        """Put the pair where the old one is kept, and have the session go on with it; raises RotationRefused."""
        await asyncio.to_thread(self._replace, pair)
        if not await self._client.reread_keys():
            # A reading that was under way may have begun before the new pair was in its place.
            await self._client.reread_keys()

    def _replace(self, pair: KeyPair) -> None:
        with translate_errors_to(RotationRefused):
            profile_secrets.replace_pair(self._profiles, self._profiles.read(self._name), pair, self._variables)
