"""Refuses changes that require approval, on the command line."""

from typing import TYPE_CHECKING

from svc_tui.domain.editing.ports import ApprovalGuard, Unguarded
from svc_tui.domain.model.credentials import Environment

if TYPE_CHECKING:
    from svc_tui.config.profiles.connection import Connection

ASK_THERE = "open svc-tui and request approval there."


def command_guard(connection: "Connection", rows: int = 1) -> ApprovalGuard:
    """Knows what the profile wants a second person for; `rows` is how many changes are made at once."""
    profile = connection.profile
    if connection.keys.environment is not Environment.LIVE or not profile.approve:
        return Unguarded()
    from svc_tui.domain.team.approval_rules import ApprovalRules, NobodyToAsk

    return NobodyToAsk(ApprovalRules.parse(profile.approve), ASK_THERE, rows)
