"""Which plans of a session want a second person; what that takes is loaded where a profile asks for one."""

from svc_tui.domain.editing.ports import ApprovalGuard, Unguarded
from svc_tui.domain.plans.plan import Plan
from svc_tui.domain.session.session import Session


def plan_guard(session: Session, plan: Plan) -> ApprovalGuard:
    """What knows which rows of the plan want a second person, and have one."""
    if isinstance(session.approval_guard, Unguarded):
        return session.approval_guard
    if session.team is not None and session.asked_plans is not None:
        from svc_tui.domain.plans.approved_plan import PlanApproval

        return PlanApproval(session.team.approvals, session.asked_plans, plan)
    from svc_tui.domain.team.approval_rules import ApprovalRules, NobodyToAsk

    why = "the profile has no team, so nobody can approve it."
    return NobodyToAsk(ApprovalRules.parse(session.profile.approve), why, len(plan.ready))


async def end_approval(session: Session, plan: Plan, *, given_up: bool = False) -> None:
    """The run of the plan is at its end: an approval of it is used up. Raises StoreError."""
    guard = plan_guard(session, plan)
    if isinstance(guard, Unguarded):
        return
    from svc_tui.domain.plans.approved_plan import PlanApproval

    if isinstance(guard, PlanApproval):
        await guard.ended(given_up=given_up)
