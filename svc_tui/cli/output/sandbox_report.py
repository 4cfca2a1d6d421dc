"""What the embedded service says of itself, as lines for people and as documents for a script."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from svc_tui.cli.output.visible import visible


def json_text(document: Mapping[str, Any]) -> str:
    """A document as one line of JSON in ASCII, so that a terminal obeys nothing in it."""
    return json.dumps(document)


def running_lines(announced: str, *, control: bool) -> Iterator[str]:
    """What a person needs to know of a service that has just started, after its first line."""
    told = json.loads(announced)
    if "sandbox_base_url" in told:
        yield (
            f"the local sandbox is running at {told['base_url']} for live keys and {told['sandbox_base_url']} for test "
            "keys; stop it with ctrl+c. The line above contains these keys:"
        )
    else:
        yield (
            f"the local sandbox is running at {told['base_url']}; stop it with ctrl+c. "
            "The line above contains these keys:"
        )
    width = max(len(key["name"]) for key in told["keys"])
    for key in told["keys"]:
        yield f"  {visible(key['name']):{width}}  {visible(key['note'])}".rstrip()
    if control:
        yield "the control routes are on; see svc-tui sandbox ctl --help"
    else:
        yield "the control routes are off; turn them on with SVC_SANDBOX_TOKEN or --control-token"


def health_lines(told: Mapping[str, Any], url: str) -> Iterator[str]:
    """How the service is."""
    began = f"{told['records']:,} lots, seed {told['seed']}"
    yield f"{told['status']}: svc-tui {told['version']} at {visible(url)}, started with {began}"
    yield clock_line(told)
    yield f"{_counted(told['faults'], 'active fault')}, {_counted(told['held'], 'response')} on hold"
    if told["snapshots"]:
        yield f"snapshots: {', '.join(map(visible, told['snapshots']))}"


def clock_line(told: Mapping[str, Any]) -> str:
    """The service's time, and how far it is off."""
    moment = datetime.fromtimestamp(told["time"], UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    offset = told["offset_seconds"]
    if not offset:
        return f"the clock shows {moment} (real time)"
    return f"the clock shows {moment}, {abs(offset):g} s {'ahead' if offset > 0 else 'behind'}"


def fault_lines(told: Mapping[str, Any]) -> Iterator[str]:
    """A line for each fault in force."""
    if not told["faults"]:
        yield "no faults are active"
    for fault in told["faults"]:
        which = f"{fault['left']} more" if fault["left"] is not None else f"1 in {fault['every']}"
        fits = " ".join(filter(None, (fault["method"], visible(fault["path"]))))
        passed = f" after {fault['after']}" if fault["after"] else ""
        yield f"{fault['name']:13} {which}{passed}, affected {fault['met']} of {fault['seen']} {fits or 'requests'}"
    if told["held"]:
        yield f"{_counted(told['held'], 'response')} on hold; release them with: svc-tui sandbox ctl release"


def attempt_lines(told: Mapping[str, Any]) -> Iterator[str]:
    """A line for each attempt, with the reason of a refusal below it."""
    if not told["attempts"]:
        yield "no requests received"
    for attempt in told["attempts"]:
        status = "no response" if attempt["status"] is None else attempt["status"]
        code = f" {attempt['code']}" if attempt["code"] else ""
        key = visible(attempt["key"] or "no key")
        yield (
            f"{attempt['number']:>4} {visible(attempt['method']):6} {visible(attempt['target'])} · {key} · "
            f"signature {attempt['signature']} · {status}{code}"
        )
        if attempt["why"]:
            yield f"       {visible(attempt['why'])}"
        if attempt["signature"] == "wrong" and attempt["signed_string"]:
            yield f"       string to sign: {visible(attempt['signed_string'])}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
