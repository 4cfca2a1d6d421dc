"""Refuses changes that require approval, on the command line."""

from typing import TYPE_CHECKING

from svc_tui.core.credentials import Environment
from svc_tui.writes.approval_guard import ApprovalGuard, Unguarded

if TYPE_CHECKING:
    from svc_tui.config.profiles.connection import Connection

ASK_THERE = "open svc-tui and request approval there."


def command_guard(connection: "Connection", rows: int = 1) -> ApprovalGuard:
    """Knows what the profile wants a second person for; `rows` is how many changes are made at once."""
    profile = connection.profile
    if connection.keys.environment is not Environment.LIVE or not profile.approve:
        return Unguarded()
    from svc_tui.team.approval_rules import ApprovalRules, RefusingGuard

    return RefusingGuard(ApprovalRules.parse(profile.approve), ASK_THERE, rows)
