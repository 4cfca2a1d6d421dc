"""Tries the key of a new profile, and keeps the profile: for the welcome, and for a session that adds another."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING

from svc_tui.bootstrap.doctor.diagnose import ca_variables, run_checks
from svc_tui.bootstrap.profiles import ProfileCommands, keyring_problem
from svc_tui.bootstrap.start import CommandFailure, Options
from svc_tui.connect.checks import CheckResult
from svc_tui.connect.diagnosis import check_key_form
from svc_tui.connect.new_connection import (
    ConnectionField,
    CredentialStorage,
    NewConnection,
    ServiceAccess,
    UnusableInput,
)
from svc_tui.core.credentials import Environment
from svc_tui.core.settings import Profile
from svc_tui.core.values import replace

if TYPE_CHECKING:
    from svc_tui.config.paths import Locations


class ProfileConnector:
    """See `connect.new_connection.ConnectionSetup`."""

    def __init__(self, options: Options, variables: Mapping[str, str], locations: "Locations | None" = None) -> None:
        """Make it; the profiles are at `locations`, None: where options and variables say."""
        # Read-only for this run does not make a profile read-only for good.
        self._options, self._locations = replace(options, read_only=False), locations
        self.secrets: tuple[str, ...] = ()
        """The texts of every pair that was tried, for whatever must not let one out."""
        self.variables = variables
        """The environment, with the variables that the user has yet to set for the profile just kept."""

    async def keyring_problem(self) -> str:
        """Why the system's keyring can't be used; "" where it can."""
        return await asyncio.to_thread(keyring_problem)

    async def check(self, access: ServiceAccess) -> AsyncIterator[CheckResult]:
        """Yield the checks of key and secret by themselves, then those that the service answers."""
        self.secrets = (*self.secrets, *access.pair.secrets)
        yield check_key_form(access.pair)
        live, sandbox = _base_urls(access)
        profile = Profile("new", base_url=live or "", sandbox_base_url=sandbox or "")
        async for check in run_checks(profile, access.pair, ca_variables(self.variables)):
            yield check

    async def keep(self, new: NewConnection) -> None:
        """Write the profile; raises UnusableInput, and nothing is left."""
        await asyncio.to_thread(self._keep, new)

    def _keep(self, new: NewConnection) -> None:
        try:
            self._profiles().check_new_name(new.name)
        except CommandFailure as stopped:
            raise UnusableInput("name", str(stopped)) from None
        unset = self._check_sources(new) if new.storage.named else {}
        pair, keep = new.access.pair, new.storage
        live, sandbox = _base_urls(new.access)
        try:
            self._profiles().add(
                new.name,
                pair=None if keep.named else pair,
                keep="keyring" if keep is CredentialStorage.KEYRING else "file",
                key_from=f"{keep.value}:{new.key_from}" if keep.named else "",
                secret_from=f"{keep.value}:{new.secret_from}" if keep.named and pair.signing_secret else "",
                base_url=live,
                sandbox_base_url=sandbox,
            )
        except CommandFailure as stopped:
            raise UnusableInput("keeping", str(stopped)) from None
        self.variables = {**self.variables, **unset}

    def _check_sources(self, new: NewConnection) -> dict[str, str]:
        """Return the variables not set; raises UnusableInput where a source gives another value than was typed."""
        unset: dict[str, str] = {}
        places: tuple[tuple[ConnectionField, str], ...] = (("key_from", new.key_from), ("secret_from", new.secret_from))
        for (field, text), secret in zip(places, new.access.pair.secrets, strict=False):
            if new.storage is CredentialStorage.VARIABLE and not self.variables.get(text, "").strip():
                if unset.get(text, secret) != secret:
                    raise UnusableInput(field, "use two different variables for key and secret")
                unset[text] = secret
                continue
            try:
                stored_secret = self._profiles().read_secret(f"{new.storage.value}:{text}")
            except CommandFailure as stopped:
                raise UnusableInput(field, str(stopped)) from None
            if stored_secret != secret:
                what = "API key" if field == "key_from" else "signing secret"
                raise UnusableInput(field, f"this returns a different {what} than the one you typed")
        return unset

    def _profiles(self) -> ProfileCommands:
        return ProfileCommands(self._options, self.variables, self._locations)


def _base_urls(access: ServiceAccess) -> tuple[str | None, str | None]:
    """The base URLs of a profile, LIVE's and SANDBOX's: one is the base URL, the other None."""
    live = access.pair.environment is Environment.LIVE
    return (access.base_url, None) if live else (None, access.base_url)
