"""Why a sandbox can't be reached: no words of Python's."""

import socket
import ssl
from http.client import BadStatusLine

import pytest

from svc_tui.sandbox.server.control_client import _words


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (TimeoutError("timed out"), "it did not respond in time"),
        (socket.gaierror(-2, "Name or service not known"), "the host name can't be resolved"),
        (
            ssl.SSLError(1, "[SSL: WRONG]"),
            "the TLS connection failed; check the URL and the certificate",
        ),
        (ConnectionRefusedError(111, "Connection refused"), "Connection refused"),
        (BadStatusLine("x"), "the response is not HTTP; check the URL"),
        (ValueError("invalid literal for int()"), "the response is not HTTP; check the URL"),
    ],
)
def test_a_failed_connection_is_explained_in_plain_words(error: Exception, reason: str) -> None:
    assert _words(error) == reason
