"""Requests as lines for a shell, for a colleague or a ticket: they hold no key, no secret, no signature.

The `curl` line has its headers made by Python when it runs, from `SVC_API_KEY` and `SVC_SIGNING_SECRET`, and handed to
curl on stdin: neither stands in the shell's history or in the list of processes. Source of what is signed:
service-interface, "Request signing".
"""

import re
import shlex

from svc_tui.domain.requests import SignedRequest

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")

_HEADERS = "; ".join(
    (
        "import hashlib, hmac, os, sys, time",
        "method, target = sys.argv[1:]",
        'key, secret = (os.environ.get("SVC_" + name, "") for name in ("API_KEY", "SIGNING_SECRET"))',
        'key or sys.exit("SVC_API_KEY is not set")',
        'print("Authorization: Bearer " + key)',
        "now = str(int(time.time()))",
        'text = ".".join((now, method, target, hashlib.sha256().hexdigest()))',
        "made = hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()",
        'secret and print("x-svc-timestamp: " + now + "\\nx-svc-signature: t=" + now + ",v1=" + made)',
    )
)
"""Prints the headers of a request without a body; its arguments are the method and what is signed as the path."""


class Unwritable(ValueError):
    """A request that no line can be written for."""


def request_line(request: SignedRequest) -> str:
    """The request as a line for this program's own command; raises Unwritable."""
    return _line("svc-tui", "request", request.method, request.target)


def headers_line(request: SignedRequest) -> str:
    """A line that prints the headers of a request without a body, signed where there is a secret; raises Unwritable."""
    return f"python3 -c {_quoted(_HEADERS)} {_line(request.method, request.target)}"


def curl_line(request: SignedRequest) -> str:
    """The request, which has no body, for curl 7.55 or later; raises Unwritable.

    curl is kept from reading brackets as a choice of addresses, and dots as a way up.
    """
    call = _line("curl", "--globoff", "--path-as-is", "-sS", "-X", request.method, "-H", "@-", request.url)
    return f"{headers_line(request)} | {call}"


def _line(*words: str) -> str:
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    """The word as every POSIX shell reads it; raises Unwritable for what could command the terminal it is pasted in."""
    if _CONTROL.search(word):
        raise Unwritable("a control character can't stand in a command line")
    return shlex.quote(word)
