"""What users do again and again in the flows: change the name of lot-000002 in the table, review, send."""

from tests.browser import User

RECORD = "lot-000002"


async def at_name(user: User) -> None:
    """Put the table's cursor on the name of the record."""
    await user.sees(RECORD)
    await user.press("j", "l")


async def renamed(user: User, name: str) -> None:
    """Edit the name under the cursor, and leave the editor."""
    await user.press("e")
    await user.sees(rf"{RECORD} · name")
    await user.press("ctrl+u")
    await user.types(name)
    await user.press("enter")
    await user.loses(rf"{RECORD} · name")


async def reviewed(user: User) -> None:
    """Open the change card."""
    await user.press("ctrl+s")
    await user.sees(rf"Change {RECORD}")


async def confirmed(user: User) -> None:
    """Review the change, and have it sent, whatever becomes of it."""
    await reviewed(user)
    await user.press("y")
    await user.loses(rf"Change {RECORD}")


async def sent(user: User) -> None:
    """Review the change, send it, and see that it was written."""
    await reviewed(user)
    await user.press("y")
    await user.sees(rf"{RECORD} is written")
