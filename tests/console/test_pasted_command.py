"""Commands for curl as people, manuals and browsers write them, and this program's own, read as requests."""

from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from svc_tui.console.copy_as import CommandLineError, curl_line, svc_tui_line
from svc_tui.console.pasted_command import PastedCommandError, is_command, read_command
from svc_tui.console.request_form import RequestForm, compose_request
from svc_tui.core.requests import SignedRequest
from svc_tui.service.errors import RequestRefused
from svc_tui.service.routes import target_of
from svc_tui.service.signing import ForeignSignature

BASE = "https://api.example.com"
LOTS = "/v1/operations/lots"
URL = f"{BASE}{LOTS}"
PATCH = RequestForm("PATCH", f"{LOTS}/lot-1", body='{"grade":"B"}')
JSON = "Content-Type: application/json"
FORM = "Content-Type: application/x-www-form-urlencoded"

SPELLINGS = [
    # Typographic signs that are data
    (f"curl {URL} -d '“damp” – wet' -H 'A: b'", RequestForm("POST", LOTS, "", f"A: b\n{FORM}", "“damp” – wet")),
    # Addresses
    (f"curl {URL}", RequestForm("GET", LOTS)),
    (f"  $ curl '{URL}'", RequestForm("GET", LOTS)),
    (f'/usr/bin/curl "{URL}"', RequestForm("GET", LOTS)),
    (f"curl.exe {URL}", RequestForm("GET", LOTS)),
    (f"curl --url {URL}", RequestForm("GET", LOTS)),
    ("curl api.example.com/v1/operations/lots", RequestForm("GET", LOTS)),
    (f"curl HTTPS://API.example.com{LOTS}", RequestForm("GET", LOTS)),
    (f"curl $BASE_URL{LOTS}", RequestForm("GET", LOTS)),
    (f'curl "${{BASE_URL}}{LOTS}"', RequestForm("GET", LOTS)),
    (f"curl {URL}#top", RequestForm("GET", LOTS)),
    (f"curl '{URL}?page=2&limit=50'", RequestForm("GET", LOTS, "page=2&limit=50")),
    (rf"curl {URL}\?page=2\&limit=50", RequestForm("GET", LOTS, "page=2&limit=50")),
    (f"curl '{URL}?q=a+b'", RequestForm("GET", f"{LOTS}?q=a+b")),
    (f"curl '{URL}?q=a%20b'", RequestForm("GET", LOTS, "q=a%20b")),
    # Methods and flags
    (f"curl -X DELETE {URL}/lot-1", RequestForm("DELETE", f"{LOTS}/lot-1")),
    (f"curl -XDELETE {URL}/lot-1", RequestForm("DELETE", f"{LOTS}/lot-1")),
    (f"curl --request delete {URL}/lot-1", RequestForm("DELETE", f"{LOTS}/lot-1")),
    (f"curl --request=PUT {URL}/lot-1", RequestForm("PUT", f"{LOTS}/lot-1")),
    (f"curl -sSLX DELETE {URL}/lot-1", RequestForm("DELETE", f"{LOTS}/lot-1")),
    (f"curl -I {URL}", RequestForm("HEAD", LOTS)),
    (f"curl --head {URL}", RequestForm("HEAD", LOTS)),
    (f"curl -s --compressed -k -m 10 -o out.json -w '%{{http_code}}' {URL}", RequestForm("GET", LOTS)),
    # Bodies
    (f'curl -X PATCH {URL}/lot-1 -d \'{{"grade":"B"}}\'', PATCH),
    (f'curl -X PATCH {URL}/lot-1 -d\'{{"grade":"B"}}\'', PATCH),
    (f'curl -X PATCH {URL}/lot-1 -d "{{\\"grade\\":\\"B\\"}}"', PATCH),
    (f'curl -X PATCH {URL}/lot-1 -d $\'{{"grade":"\\x42"}}\'', PATCH),
    (f'curl -X PATCH {URL}/lot-1 --data-binary \'{{"grade":"B"}}\'', PATCH),
    (f'curl -X PATCH {URL}/lot-1 --json \'{{"grade":"B"}}\'', PATCH),
    (f"curl -X PATCH {URL}/lot-1 --json '{{\"grade\":' --json '\"B\"}}'", PATCH),
    (f"curl {URL} -d '{{}}'", RequestForm("POST", LOTS, body="{}")),
    (f"curl {URL} -d @lot.json", RequestForm("POST", LOTS, body="@lot.json")),
    (f"curl {URL} --data-binary '@my lot.json'", RequestForm("POST", LOTS, body="@my lot.json")),
    (
        f"curl {URL} --data-raw @me -H 'Content-Type: text/plain'",
        RequestForm("POST", LOTS, "", "Content-Type: text/plain", "@@me"),
    ),
    (
        f"curl {URL} -d a=1 -d b=2",
        RequestForm("POST", LOTS, "", "Content-Type: application/x-www-form-urlencoded", "a=1&b=2"),
    ),
    (
        f"curl {URL} --data-urlencode 'note=a b&c'",
        RequestForm("POST", LOTS, "", "Content-Type: application/x-www-form-urlencoded", "note=a%20b%26c"),
    ),
    (f"curl -G {URL} -d page=2 -d limit=50", RequestForm("GET", LOTS, "page=2&limit=50")),
    (f"curl --get {URL}?page=2 --data-urlencode 'q=a b'", RequestForm("GET", LOTS, "page=2&q=a%20b")),
    (f"curl {URL} --url-query 'q=a b'", RequestForm("GET", LOTS, "q=a%20b")),
    # Headers
    (f"curl -H 'X-Trace: 7' {URL}", RequestForm("GET", LOTS, "", "X-Trace: 7")),
    (f'curl -H"X-Trace:7" {URL}', RequestForm("GET", LOTS, "", "X-Trace: 7")),
    (
        f"curl --header 'X-Trace: 7' --header 'X-Two: a: b' {URL}",
        RequestForm("GET", LOTS, "", "X-Trace: 7\nX-Two: a: b"),
    ),
    (f"curl -H 'Accept:' -H 'X-Empty;' {URL}", RequestForm("GET", LOTS, "", "X-Empty: ")),
    (
        f"curl {URL} -H 'Idempotency-Key: k-1' -d '{{}}'",
        RequestForm("POST", LOTS, "", "Idempotency-Key: k-1", "{}"),
    ),
    # Lines continued, by each shell
    (f'curl -X PATCH \\\n  {URL}/lot-1 \\\r\n  -d \'{{"grade":"B"}}\'\n', PATCH),
    (f'curl -X PATCH "{URL}/lot-1" ^\r\n  -d "{{\\"grade\\":\\"B\\"}}"', PATCH),
    (f'curl -X PATCH "{URL}/lot-1" -d ^"{{\\"grade\\":\\"B\\"}}^"', PATCH),
    (f'curl -X PATCH "{URL}/lot-1" -d ^"{{^\\^"grade^\\^":^\\^"B^\\^"}}^"', PATCH),
    (f'curl -X PATCH "{URL}/lot-1" -d "{{""grade"":""B""}}"', PATCH),
    (f'curl -X PATCH "{URL}/lot-1" -d"{{""grade"":""B""}}" -s', PATCH),
    (f'curl -X PATCH "{BASE}""{LOTS}/lot-1" -d "{{\\"grade\\":\\"B\\"}}"', PATCH),
    (f'curl -X PATCH {URL}/lot-1 -d \'{{"grade":"B"}}\' -H \'A:\' -o ""', PATCH),
    (f'curl {URL} -X POST -d \'{{"a":"^\\""}}\' -d \'\'', RequestForm("POST", LOTS, body='{"a":"^\\""}&')),
    (f'curl -X ^"PATCH^" ^"{URL}/lot-1^" ^\r\n  --data-raw ^"^{{^\\^"grade^\\^":^\\^"B^\\^"^}}^"', PATCH),
    (f'curl.exe -X PATCH {URL}/lot-1 `\r\n  -d \'{{"grade":"B"}}\'', PATCH),
    (
        f"curl {URL} -X POST -H '{JSON}' -d '{{\n  \"name\": \"Çağ\"\n}}'",
        RequestForm("POST", LOTS, "", JSON, '{\n  "name": "Çağ"\n}'),
    ),
    # This program's own
    (
        "svc-tui request GET operations/lots -q page=1 -q 'q=a b' -i",
        RequestForm("GET", "operations/lots", "page=1&q=a%20b"),
    ),
    (
        "svc-tui request PATCH operations/lots/1 -d '{\"a\": 1}' --live",
        RequestForm("PATCH", "operations/lots/1", body='{"a": 1}'),
    ),
    (
        "svc-tui request POST lots/1/split -d @split.json -H 'X-T: 1'",
        RequestForm("POST", "lots/1/split", "", "X-T: 1", "@split.json"),
    ),
]


@pytest.mark.parametrize(("command", "form"), SPELLINGS)
def test_a_command_becomes_the_request_that_it_makes(command: str, form: RequestForm) -> None:
    assert is_command(command)
    assert read_command(command, BASE) == form


@pytest.mark.parametrize(
    ("command", "form"),
    [
        (
            f"curl {URL} -H 'Authorization: Bearer svc_live_hidden'",
            RequestForm("GET", LOTS, note="Removed headers with credentials: Authorization."),
        ),
        (
            f"curl {URL} -H 'x-svc-signature: t=1,v1=aa' -H 'X-Api-Key: hidden' -H 'X-Note: svc_test_hidden'",
            RequestForm(
                "GET",
                LOTS,
                note="The pasted signature is not sent. Press f9 to check it. "
                "Removed headers with credentials: X-Api-Key, X-Note.",
            ),
        ),
        (
            f"curl {URL} -b 'sid=hidden' --cookie other=hidden",
            RequestForm("GET", LOTS, note="Removed headers with credentials: Cookie."),
        ),
        (
            f"curl {URL} -H 'Authorization: Bearer hidden' -H 'Cookie: sid=hidden' -b sid=hidden -H 'sec-ch-ua: x'",
            RequestForm(
                "GET", LOTS, note="Ignored browser headers. Removed headers with credentials: Authorization, Cookie."
            ),
        ),
        (
            f"curl {URL} -H 'accept-encoding: br' -H 'sec-ch-ua: \"x\"' -H 'accept: */*'",
            RequestForm("GET", LOTS, "", "accept: */*", note="Ignored browser headers."),
        ),
        (
            f"curl https://stage.example.org{LOTS} | jq .items",
            RequestForm(
                "GET",
                LOTS,
                note="Ignored the host stage.example.org: requests go to api.example.com. Ignored everything after |.",
            ),
        ),
        (f"curl {URL} > lots.json", RequestForm("GET", LOTS, note="Ignored everything after >.")),
        (f"curl -H @headers.txt {URL}", RequestForm("GET", LOTS, note="Ignored headers from a file.")),
        (f"curl -X GET {URL} -d '{{}}'", RequestForm("GET", LOTS, body="{}", note="GET requests have no body.")),
    ],
)
def test_what_is_left_out_is_said(command: str, form: RequestForm) -> None:
    assert read_command(command, BASE) == form
    assert "hidden" not in repr(read_command(command, BASE))


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (f"curl -u me:hidden {URL}", "-u contains credentials"),
        (f"curl -ume:hidden {URL}", "-u contains credentials"),
        (f"curl --user me:hidden {URL}", "--user contains credentials"),
        (f"curl --oauth2-bearer hidden {URL}", "--oauth2-bearer contains credentials"),
        (f"curl --digest {URL}", "--digest contains credentials"),
        (f"curl https://me:hidden@api.example.com{LOTS}", "the URL contains credentials"),
        (f"curl '{URL}?key=svc_live_hidden'", "the URL or the body contains an API key"),
        (f"curl {URL} -d 'key=svc_test_hidden'", "the URL or the body contains an API key"),
        (f"curl -F file=@hidden {URL}", "-F uploads multipart data"),
        (f"curl -T hidden {URL}", "-T uploads a file; use -X PUT --data-binary @FILE"),
        (f"curl –X PATCH {URL}", "– is a typographic character; replace it with - or --"),
        (f"curl {URL} —data hidden", "replace it with - or --"),
        (f"curl {URL} -d “{{hidden}}”", 'replace it with the quote "'),
        (f"curl {URL} -d ‘hidden’", "replace it with the quote '"),
        (f"curl -K hidden {URL}", "-K reads options from a file"),
        (f"curl {URL} --next {URL}", "--next sends several requests"),
        (f"curl {URL} {URL}", "the command has several URLs"),
        ("curl -s", "the command has no URL"),
        (f"curl {URL} -X", "the option -X needs a value"),
        (f"curl {URL} -X 'a b'", "-X needs an HTTP method"),
        (f"curl {URL} --frobnicate hidden", "the option --frobnicate is not supported"),
        (f"curl {URL} -d @-", "the body comes from another command"),
        (f"curl {URL} -d @a -d @b", "the body has several parts"),
        (f"curl -G {URL} -d @a", "-G reads the query from a file"),
        (f"curl {URL} --data-urlencode a@hidden", "--data-urlencode reads from a file"),
        (f"curl {URL} -d 'hidden", "the command is not complete: the closing quote is missing"),
        (f"curl {URL} -H hidden", "a header must have the form"),
        ("svc-tui request GET", "svc-tui request needs a method and a path"),
        ("svc-tui request POST lots -d -", "the body comes from another command"),
    ],
)
def test_what_can_be_no_request_of_the_console_is_refused_without_its_values(command: str, reason: str) -> None:
    with pytest.raises(PastedCommandError) as refused:
        read_command(command, BASE)
    assert reason in str(refused.value)
    assert "hidden" not in str(refused.value)


def test_the_path_of_a_gateway_is_left_out() -> None:
    form = read_command(f"curl https://gate.example.com/mine{LOTS}", "https://gate.example.com/mine")
    assert form == RequestForm("GET", LOTS)


@pytest.mark.parametrize("text", ["", "curl", "curls x", "lots", "GET curl x", '{"curl": 1}'])
def test_other_text_is_no_command(text: str) -> None:
    assert not is_command(text)


@given(
    st.lists(
        st.sampled_from([*"'\"\\^`$ \n@|", URL, "-d", "-H", "-X", "-G", "a=1", "A: b", "{}", "--json"]), max_size=12
    )
)
def test_any_command_is_a_request_or_refused(pieces: list[str]) -> None:
    try:
        form = read_command("curl " + "".join(pieces), BASE)
    except PastedCommandError:
        return
    compose_request(form)


TARGETS = st.tuples(st.text(max_size=8), st.lists(st.tuples(st.text(min_size=1, max_size=5), st.text(max_size=5))))
BODIES = (
    st.binary(max_size=20).filter(lambda body: 0 not in body)
    | st.text(max_size=20).map(lambda text: text.replace("\0", "").encode("utf-8", "replace"))
    | st.sampled_from([b"@file", b"@@", b"-", b"$body"])
)


@example(method="POST", target=("", []), body=b'^"')
@given(method=st.sampled_from(["GET", "HEAD", "POST", "PATCH", "DELETE", "PURGE"]), target=TARGETS, body=BODIES)
def test_a_line_that_was_copied_here_comes_back_as_the_same_request(
    method: str, target: tuple[str, list[tuple[str, str]]], body: bytes
) -> None:
    try:
        asked = target_of(f"/v1/x/{quote(target[0].replace('.', ''), errors='replace')}", target[1])
    except RequestRefused:
        return
    body = b"" if method in ("GET", "HEAD") else body
    request = SignedRequest(method, f"{BASE}{asked}", asked, (), body)
    for write in (curl_line, svc_tui_line):
        try:
            line = write(request, [("X-Trace", "it's 7")])
            sent = body.decode()
        except (CommandLineError, UnicodeDecodeError):
            continue
        assert is_command(f"$ {line}\n")
        form = read_command(f"$ {line}\n", BASE)
        composed = compose_request(form).spec
        assert (composed.method, target_of(composed.path, composed.query)) == (method, asked)
        assert composed.headers[0] == ("X-Trace", "it's 7")
        assert (form.note, form.body.removeprefix("@" if sent.startswith("@") else "")) == ("", sent)


@pytest.mark.parametrize(
    "text", ["python3 -c 'print(1)' | cat", "printf %s x | sh", "body=1; rm -rf / | curl x", "body='"]
)
def test_another_line_with_a_pipe_is_no_command(text: str) -> None:
    assert not is_command(text)


def test_an_empty_body_makes_a_post_as_it_does_for_curl() -> None:
    assert read_command(f"curl {URL} -d ''", BASE).method == "POST"
    assert read_command(f"curl -G {URL} -d ''", BASE).method == "GET"


def test_a_signature_is_kept_aside_and_told() -> None:
    form = read_command(f"curl {URL} -H 'X-Svc-Timestamp: 17' -H 'x-svc-signature: t=17,v1=ab'", BASE)
    assert form.signature == ForeignSignature("17", "t=17,v1=ab")
    assert (form.headers, form.note) == ("", "The pasted signature is not sent. Press f9 to check it.")
    assert "v1=ab" not in repr(form)
    assert read_command(f"curl {URL}", BASE).signature is None
