"""Which plans of a session want a second person; what that takes is loaded where a profile asks for one."""

from svc_tui.session.session import Session
from svc_tui.storage.plan import Plan
from svc_tui.writes.approval_guard import ApprovalGuard, Unguarded


def plan_guard(session: Session, plan: Plan) -> ApprovalGuard:
    """What knows which rows of the plan want a second person, and have one."""
    if isinstance(session.approval_guard, Unguarded):
        return session.approval_guard
    if session.team is not None and session.asked_plans is not None:
        from svc_tui.plans.approval import PlanApproval

        return PlanApproval(session.team.approvals, session.asked_plans, plan)
    from svc_tui.team.approval_rules import ApprovalRules, RefusingGuard

    why = "the profile has no team, so nobody can approve it."
    return RefusingGuard(ApprovalRules.parse(session.profile.approve), why, len(plan.ready))


async def end_approval(session: Session, plan: Plan, *, given_up: bool = False) -> None:
    """The run of the plan is at its end: an approval of it is used up. Raises StoreError."""
    guard = plan_guard(session, plan)
    if isinstance(guard, Unguarded):
        return
    from svc_tui.plans.approval import PlanApproval

    if isinstance(guard, PlanApproval):
        await guard.ended(given_up=given_up)
