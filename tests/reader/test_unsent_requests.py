"""The request that waits in the console: said, sent, changed, dropped, and what goes back to the screens."""

from pathlib import Path

from svc_tui.console.request_form import RequestForm
from svc_tui.console.request_line import UnsentRequest
from svc_tui.core.jsontext import dumps
from svc_tui.reader.conversation import Conversation
from svc_tui.sandbox.server.inprocess import RunningService
from svc_tui.session.hand_over import HandOver
from tests.reader.talking import INTERRUPT, Script, Typed, session_on

LOT = "lot-000011"
BEGUN = UnsentRequest(RequestForm("PATCH", f"/v1/operations/lots/{LOT}", body='{"note":"damp"}'), on_show=True)
LINE = f"PATCH /v1/operations/lots/{LOT} note=damp"
HALF = UnsentRequest(RequestForm(), f"PATCH lots/{LOT} no")


async def gone_on(
    service: RunningService,
    state: Path,
    request: UnsentRequest | None,
    typed: list[Typed],
    *,
    masked: bool = False,
    key: str = "sandbox",
    secret: str | None = None,
) -> tuple[Script, UnsentRequest | None]:
    """A conversation with the request waiting, and the one that goes back."""
    carried = HandOver("test", "/v1/operations/lots", masked=masked, request=request)
    async with session_on(service, state, key=key, secret=secret) as session:
        script = Script([*typed, "screen"])
        conversation = Conversation(session, script, script.heard.append, screen_problem=str, carried=carried)
        end = await conversation.hold(carried.place)
    assert end.on_screen is not None
    return script, end.on_screen.request


async def test_it_is_said_kept_and_comes_back_as_it_was(service: RunningService, tmp_path: Path) -> None:
    script, back = await gone_on(service, tmp_path, BEGUN, ["where", "console", "", "console GET lots/lot-000012"])
    assert script.said[1] == f"Unsent request in the console: {LINE}. To send, change or discard it, type console."
    assert script.said.count(f"Unsent request in the console: {LINE}.") == 2
    assert "SANDBOX. send, drop, another request, or an empty line to keep the unsent request: " in script.said
    assert script.offered == [f"console {LINE}"]
    assert "Request kept." in script.said
    assert back == BEGUN
    assert not any(request.method == "PATCH" for request in service.attempts)


async def test_it_is_sent_by_the_way_of_every_write_and_waits_no_longer(
    service: RunningService, tmp_path: Path
) -> None:
    script, back = await gone_on(service, tmp_path, BEGUN, ["console", "send", "send"])
    assert f"SANDBOX. Send PATCH /v1/operations/lots/{LOT}." in script.said
    assert [request.method for request in service.attempts][-1] == "PATCH"
    assert back is None
    _, read_out = await gone_on(service, tmp_path, BEGUN, ["console", "send"])
    assert read_out == BEGUN


async def test_it_is_changed_dropped_or_pushed_out_by_nothing_else(service: RunningService, tmp_path: Path) -> None:
    changed = RequestForm("PATCH", f"lots/{LOT}", body='{"note":"dry"}')
    _, back = await gone_on(service, tmp_path, BEGUN, ["console", f"console PATCH lots/{LOT} note=dry"])
    assert back == UnsentRequest(changed)
    _, beside = await gone_on(service, tmp_path, BEGUN, [f"console PATCH lots/{LOT} note=dry"])
    assert beside == BEGUN
    script, dropped = await gone_on(service, tmp_path, BEGUN, ["console", "DROP", "console"])
    assert dropped is None
    assert "Request discarded." in script.said
    assert script.said[-1].startswith("Type a request, ")
    _, wrong = await gone_on(service, tmp_path, BEGUN, ["console", "PATCH lots/x note"])
    assert wrong == BEGUN


async def test_another_request_takes_its_place_only_once_it_waits_or_left(
    service: RunningService, tmp_path: Path
) -> None:
    for answered in (
        ["GET lots/{id}", INTERRUPT],
        [f"PATCH lots/{LOT} =x"],
        [f"PATCH lots/{LOT} @{tmp_path}/nowhere/x.json"],
        ["GET lots/..%2f"],
    ):
        _, arrived = await gone_on(service, tmp_path, BEGUN, ["console", *answered])
        assert arrived == BEGUN
        _, noted = await gone_on(service, tmp_path, None, [f"console PATCH lots/{LOT} note=a", "console", *answered])
        assert noted == UnsentRequest(RequestForm("PATCH", f"lots/{LOT}", body='{"note":"a"}'))
    for read in ("get lots", f"/v1/operations/lots/{LOT}", f"lots/{LOT}", "operations/lots", "Console nothing-here"):
        _, gone = await gone_on(service, tmp_path, BEGUN, ["console", read])
        assert gone is None
    pasted = f"curl {service.base_url}/v1/operations/lots/{LOT}"
    _, gone = await gone_on(service, tmp_path, BEGUN, ["console", pasted])
    assert gone is None


async def test_a_word_that_is_no_request_is_not_sent_as_one(service: RunningService, tmp_path: Path) -> None:
    words = ["no", "keep", "quit", "help", "where", ":lots", "NO", "console"]
    typed: list[Typed] = [line for word in words for line in ("console", word)]
    script, back = await gone_on(service, tmp_path, BEGUN, typed, key="live")
    hint = "Request kept. Type send, drop or another request, such as GET lots/lot-000001."
    assert script.said.count(hint) == len(words)
    assert back == BEGUN
    assert [request.target for request in service.attempts if "lots" not in request.target] == []


async def test_what_was_read_out_here_and_not_sent_goes_to_the_screens(service: RunningService, tmp_path: Path) -> None:
    first, second = f"console PATCH lots/{LOT} note=a", f"console PATCH lots/{LOT} note=b"
    _, back = await gone_on(service, tmp_path, None, [first, second, ":tunnels"])
    assert back == UnsentRequest(RequestForm("PATCH", f"lots/{LOT}", body='{"note":"b"}'))
    _, sent = await gone_on(service, tmp_path, None, [first, "send"])
    assert sent is None


async def test_a_line_that_is_no_request_yet_comes_back_or_is_completed(
    service: RunningService, tmp_path: Path
) -> None:
    script, back = await gone_on(service, tmp_path, HALF, ["console", "send"])
    assert script.said[1].startswith(f"Unsent request in the console: PATCH lots/{LOT} no. ")
    assert script.said[-1].startswith("Invalid request: column 23: ")
    assert back == HALF
    _, better = await gone_on(service, tmp_path, HALF, ["console", f"PATCH lots/{LOT} note=x", "send"])
    assert better is None


async def test_blanks_are_asked_for_and_stay_filled(service: RunningService, tmp_path: Path) -> None:
    blank = UnsentRequest(RequestForm("DELETE", "/v1/operations/lots/{id}"))
    _, back = await gone_on(service, tmp_path, blank, ["console", "send", LOT])
    assert back == UnsentRequest(RequestForm("DELETE", f"/v1/operations/lots/{LOT}"))


async def test_the_console_is_not_shown_to_whoever_went_elsewhere(service: RunningService, tmp_path: Path) -> None:
    _, back = await gone_on(service, tmp_path, BEGUN, [":tunnels"])
    assert back == UnsentRequest(BEGUN.form)


async def test_no_secret_and_nothing_personal_of_it_is_heard(service: RunningService, tmp_path: Path) -> None:
    secret = service.key("live").signing_secret
    assert secret
    body = f'{{"email":"ada@example.com","note":"{secret}"}}'
    request = UnsentRequest(RequestForm("PATCH", "/v1/workforce/workers/wrk-0001", body=body))
    script, back = await gone_on(service, tmp_path, request, ["where", "console", ""], key="live")
    assert not any(secret in line for line in (*script.heard, *script.offered))
    assert back == request
    script, _ = await gone_on(service, tmp_path, request, ["where", "console", ""], key="live", masked=True)
    assert not any("ada@" in line for line in (*script.heard, *script.offered))
    half = UnsentRequest(RequestForm(), 'PATCH workers/wrk-0001 name="Ada')
    script, _ = await gone_on(service, tmp_path, half, ["console", ""], masked=True)
    assert not any("Ada" in line for line in (*script.heard, *script.offered))
    hostile = UnsentRequest(RequestForm(), "GET [/x]\x1b[2J ?")
    script, _ = await gone_on(service, tmp_path, hostile, ["console", ""])
    assert not any("\x1b" in line for line in (*script.heard, *script.offered))


async def test_a_secret_is_not_heard_however_a_line_would_quote_it(service: RunningService, tmp_path: Path) -> None:
    secret, path = "it's-a-\\secret$val-0123456789", f"/v1/operations/lots/{LOT}"
    json_text = secret.replace("'", "\\u0027").replace("\\s", "\\\\s")
    encoded = secret.replace("\\", "%5C")
    requests = [
        UnsentRequest(RequestForm("PATCH", path, body=dumps({"note": secret, "grade": "A"}))),
        UnsentRequest(RequestForm("PATCH", path, body=f'{{"note": "{json_text}", "grade": "A"}}')),
        UnsentRequest(RequestForm("PATCH", path, headers=f"X-Note: {secret}", body='{"grade":"A"}')),
        UnsentRequest(RequestForm("DELETE", path, query=f"grade=A&note={encoded}")),
        UnsentRequest(RequestForm("DELETE", f"/v1/operations/lots/{encoded}", query="grade=A")),
        UnsentRequest(RequestForm(), f"PATCH lots/{LOT} grade=A note='it'\\''s-a-\\secret$val-0123456789"),
    ]
    for request in requests:
        script, back = await gone_on(service, tmp_path, request, ["where", "console", ""], secret=secret)
        assert back == request
        assert [line for line in script.heard if "0123456789" in line] == []
        assert script.offered == []
        waiting = next(line for line in script.said if line.startswith("Unsent request in the console: "))
        assert "not shown" in waiting or ("grade=" in waiting and "…" in waiting)


async def test_what_is_asked_for_is_hidden_however_it_is_encoded(service: RunningService, tmp_path: Path) -> None:
    form = RequestForm("DELETE", "/v1/workforce/workers/wrk-0001", "?em%61il=bob&q=ada%40example.com\ngrade=a%26b c")
    script, back = await gone_on(service, tmp_path, UnsentRequest(form), ["console", ""], masked=True)
    line = next(line for line in script.said if line.startswith("Unsent request in the console: "))
    assert "email==" in line
    assert "grade=='a&b c'" in line
    assert not any(text in line for text in ("bob", "ada", "example"))
    assert back == UnsentRequest(form)
