"""Uses by two people on two computers, with a journal that they share."""

from collections.abc import Iterator
from contextlib import contextmanager

from tests.golden.stage import KEYS, Stage

APPROVE = 'approve = ["delete"]\n'


@contextmanager
def _team(stage: Stage, key: str) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """Start a team server; gives the variables of Ada's computer and of Ben's."""
    from tests.postgres import OwnServer  # needs packages that only some environments have

    server = OwnServer()
    try:
        database = server.create_database()
        address = database.url
        stage.normalizer.replace(address, "TEAM")
        stage.normalizer.replace(database.name, "DATABASE")
        stage.normalizer.replace(server.directory.name, "SERVER")
        computers = []
        for name in ("ada", "ben"):
            settings = f'team = "{address}"\nteam_name = "{name.title()}"\n{APPROVE}'
            stage.add_profile("work", settings, key, f"{name}/config")
            pair = next(pair for pair in KEYS if pair["name"] == key)
            directories = {f"XDG_{kind.upper()}_HOME": f"{stage.home}/{name}/{kind}" for kind in ("config", "state")}
            computers.append(
                directories
                | {"KEY": pair["api_key"], "SECRET": pair.get("signing_secret", ""), "GOLDEN_MACHINE": f"{name}-desk"}
                | {"SVC_TUI_PROFILE": "work"}
            )
        stage.run("team init", key="", **computers[0])
        yield computers[0], computers[1]
    finally:
        server.close()


def team_shares_a_journal(stage: Stage) -> None:
    """See a colleague's write, undo it, find the server gone."""
    with _team(stage, "sandbox") as (ada, ben):
        stage.run("team status", key="", **ada)
        stage.run("""request PATCH lots/lot-000002 -d '{"note": "damp"}'""", key="", **ada)
        stage.run("journal", key="", **ben)
        stage.run("journal --format jsonl", key="", **ben)
        stage.read(":lots/lot-000002", "journal", "undo 1", "send", "journal team 1", key="", **ben)
        stage.run("journal", key="", **ada)
        stage.run("team check", key="", **ada)
        stage.run("team status", key="", **ben)
    stage.run("team status", key="", **ada)
    stage.run("""request PATCH lots/lot-000002 -d '{"note": "alone"}'""", key="", **ada)


def team_approves(stage: Stage) -> None:
    """Request a deletion on LIVE, have it declined and approved by a colleague, and send it."""
    with _team(stage, "live") as (ada, ben):
        stage.run("request DELETE lots/lot-000002 --live", key="", **ada)
        with stage.browse("--reader", key="", **ada) as first, stage.browse("--reader", key="", **ben) as second:
            first.sees(r"LIVE>")
            first.say("console DELETE lots/lot-000002", "send", "see ticket", "approvals", "approve 1")
            first.shot("Ada requests", r"You can't approve your own request")
            second.say_until("approvals", r"1\. ")
            second.say("answer 1 which lot?", "approve 1", "approve")
            second.shot("Ben approves", r"approved\. Your answer goes to Ada")
            first.say_until("approvals", r"1 of your requests approved")
            first.say("send 1", "unlock", "live", "send 1", "live", "send 1", "lot-000002", "approvals", "journal")
            first.shot("Ada sends", r"1\. 2026.*DELETE.*done")
            second.end("quit\n")
            first.end("quit\n")
        stage.run("journal --format jsonl", key="", **ben)
