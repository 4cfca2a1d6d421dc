"""How things stand with a team, and what the check of its chains found, as lines for people and as a document."""

import json
from collections.abc import Iterator, Sequence

from svc_tui.bootstrap.team.check import CheckedChain
from svc_tui.bootstrap.team.team_status import TeamStatus
from svc_tui.cli.output.stderr import one_line
from svc_tui.cli.output.stdout import can_encode
from svc_tui.core.phrases import counted

_CHAIN_CHARACTERS = 8
"""How much of a chain's id tells it from others."""


def status_lines(found: TeamStatus) -> Iterator[str]:
    """How things stand, a line for each thing that is known."""
    server = found.server
    yield _line("server", found.address)
    yield _line("available", "yes" if not server.problem else f"no: {server.problem}")
    if server.schema is not None:
        yield _line("schema", _schema_words(found, server.schema))
    if server.rights is not None and server.schema != 0:
        yield _line("role", f"{server.rights.role}{f', {why}' if (why := server.rights.everything) else ''}")
        if server.rights.missing:
            yield _line("missing", ", ".join(server.rights.missing))
        if server.rights.excessive:
            yield _line("excessive", ", ".join(server.rights.excessive))
    elif server.rights is not None:
        yield _line("role", server.rights.role)
    if server.machines is not None and server.lines is not None:
        yield _line("stored", f"{counted(server.lines, 'entry', 'entries')} of {counted(server.machines, 'computer')}")
    yield _line("machine", f"{found.name} on {found.machine}, {_chain_words(found.chain)}")
    yield _line("waiting", f"{counted(found.waiting, 'entry', 'entries')} to send" if found.waiting else "nothing")
    yield _line("copy", found.copy)
    for broken in found.broken:
        yield _line(
            "damaged", f"{broken.author.name} on {broken.author.machine}, entry {broken.sequence:,}: {broken.why}"
        )


def warnings(found: TeamStatus) -> Iterator[str]:
    """What is to be looked at, and keeps nothing from working."""
    rights = found.server.rights
    if rights is not None and found.server.schema and (rights.everything or rights.excessive):
        what = f"is {rights.everything}" if rights.everything else f"has the rights {', '.join(rights.excessive)}"
        yield (
            f"the role {rights.role} {what} and can change and delete entries; use a role with only the rights that "
            "svc-tui team init grants"
        )
    if found.broken:
        yield f"{counted(len(found.broken), 'journal')} damaged; for details run: svc-tui team check"


def json_status(found: TeamStatus) -> str:
    """The same for a script."""
    server, rights = found.server, found.server.rights
    document = {
        "server": found.address,
        "usable": not server.problem,
        "problem": server.problem,
        "schema": server.schema,
        "known_schema": found.known_schema,
        "role": None if rights is None else rights.role,
        "missing_rights": None if rights is None else list(rights.missing),
        "excessive_rights": None if rights is None else list(rights.excessive),
        "superuser_or_owner": None if rights is None else rights.everything,
        "machines": server.machines,
        "lines": server.lines,
        "name": found.name,
        "machine": found.machine,
        "chain": found.chain,
        "waiting": found.waiting,
        "copy": found.copy,
        "broken": [
            {**_author(broken.author.name, broken.author.machine, broken.author.chain), "line": broken.sequence,
             "why": broken.why}
            for broken in found.broken
        ],
    }  # fmt: skip
    return json.dumps(document, indent=2)


def chain_lines(checked: CheckedChain) -> str:
    """What was found of one chain, its problems below it."""
    verdict = checked.verdict
    good, bad = ("✓", "✗") if can_encode("✓✗") else ("+", "x")
    author = verdict.author
    whose = f"{author.name} on {author.machine}{' (this computer)' if checked.is_own else ''}"
    unreadable = f", {verdict.unreadable:,} of them can't be read" if verdict.unreadable else ""
    mark = bad if verdict.problems else good
    lines = [f"{mark} {whose}, {_chain_words(author.chain)}: {counted(verdict.lines, 'entry', 'entries')}{unreadable}"]
    lines += [f"    {problem}" for problem in verdict.problems]
    if verdict.more:
        lines.append("    and more problems")
    return "\n".join(f"{line[: len(line) - len(line.lstrip())]}{one_line(line.lstrip())}" for line in lines)


def json_chains(chains: Sequence[CheckedChain]) -> str:
    """The same of all chains for a script."""
    documents = [
        {
            **_author(one.verdict.author.name, one.verdict.author.machine, one.verdict.author.chain),
            "own": one.is_own,
            "lines": one.verdict.lines,
            "known_lines": one.known,
            "unreadable": one.verdict.unreadable,
            "problems": [
                {"first": problem.first, "last": problem.last, "what": problem.what} for problem in one.verdict.problems
            ],
            "more_problems": one.verdict.more,
        }
        for one in chains
    ]
    whole = not any(one.verdict.problems for one in chains)
    return json.dumps({"whole": whole, "chains": documents}, indent=2)


def _line(name: str, text: str) -> str:
    return f"{name:10}  {one_line(text)}"


def _author(name: str, machine: str, chain: str) -> dict[str, object]:
    return {"name": name, "machine": machine, "chain": chain}


def _chain_words(chain: str) -> str:
    return f"journal {chain[:_CHAIN_CHARACTERS]}" if chain else "no journal yet"


def _schema_words(found: TeamStatus, schema: int) -> str:
    if schema == 0:
        return "none yet; create the tables with: svc-tui team init"
    if schema < found.known_schema:
        return (
            f"{schema}, older than schema {found.known_schema} of this svc-tui; "
            "upgrade the tables with: svc-tui team init"
        )
    if schema > found.known_schema:
        return f"{schema}, newer than schema {found.known_schema} of this svc-tui; update svc-tui"
    return f"{schema}"
