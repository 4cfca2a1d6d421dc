"""A proxy between a program and the service, which keeps every request as its bytes left the program."""

import hashlib
import hmac
import re
import socket
import struct
from contextlib import suppress
from dataclasses import dataclass
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Lock, Thread

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)
_STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)
"""A `linger` of 0 seconds: `close` resets the connection. See socket(7)."""


@dataclass(slots=True)
class Exchange:
    """A request, and how the service ended it: the response's status, `closed`, or empty while it is under way."""

    request: bytes
    end: str = ""

    @property
    def method(self) -> str:
        """The request's method."""
        return self.request.split(b" ", 1)[0].decode()


class Wire(ThreadingTCPServer):
    """Listens on `port` of this computer, and forwards to the service on another port."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, service_port: int) -> None:
        self.service_port = service_port
        self.exchanges: list[Exchange] = []
        self.lock = Lock()
        super().__init__(("127.0.0.1", 0), _Connection)
        Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.server_address[1])

    @property
    def under_way(self) -> int:
        """Requests without a response yet."""
        with self.lock:
            return sum(not exchange.end for exchange in self.exchanges)


class _Connection(BaseRequestHandler):
    """A connection of the program, and the connection to the service that it has."""

    server: Wire

    def handle(self) -> None:
        self._waiting: list[Exchange] = []
        self._service = socket.create_connection(("127.0.0.1", self.server.service_port))
        responses = Thread(target=self._forward_responses, daemon=True)
        responses.start()
        received = b""
        with suppress(OSError):  # the other direction closes both connections
            while data := self.request.recv(65536):
                received += data
                while (size := _request_size(received)) and len(received) >= size:
                    self._forward(received[:size])
                    received = received[size:]
        with suppress(OSError):
            self._service.shutdown(socket.SHUT_RDWR)
        responses.join()

    def _forward(self, request: bytes) -> None:
        exchange = Exchange(request)
        with self.server.lock:
            self.server.exchanges.append(exchange)
            self._waiting.append(exchange)
        self._service.sendall(request)

    def _forward_responses(self) -> None:
        try:
            while data := self._service.recv(65536):
                with self.server.lock:
                    if self._waiting and (status := _STATUS.match(data)):
                        self._waiting.pop(0).end = status[1].decode()
                self.request.sendall(data)
        except ConnectionError:
            self.request.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        finally:
            with self.server.lock:
                for exchange in self._waiting:
                    exchange.end = "closed"
                self._waiting.clear()
            self._service.close()
            with suppress(OSError):
                self.request.shutdown(socket.SHUT_RDWR)
            self.request.close()


def _request_size(received: bytes) -> int:
    """Return the number of bytes of the first request; 0 while its head is not complete."""
    head_end = received.find(b"\r\n\r\n") + 4
    if head_end < 4:
        return 0
    length = _LENGTH.search(received[:head_end])
    return head_end + (int(length[1]) if length else 0)


def describe_signature(request: bytes, secrets: dict[str, str]) -> bytes:
    """Replace a request's signature by the verdict on it; `secrets` are the signing secrets by API key.

    The rules are those of the API document: the HMAC-SHA256 of `{timestamp}.{METHOD}.{path-with-query}.{sha256(body)}`.
    """
    head, body = request.split(b"\r\n\r\n", 1)
    headers = {name.lower(): value for name, value in re.findall(rb"\r\n([^:\r\n]+): *([^\r\n]*)", head)}
    signature = headers.get(b"x-svc-signature")
    if signature is None:
        return request
    method, target, _ = head.split(b"\r\n", 1)[0].split(b" ", 2)
    timestamp = headers.get(b"x-svc-timestamp", b"")
    secret = secrets.get(headers.get(b"authorization", b"").removeprefix(b"Bearer ").decode(), "")
    signed = b".".join((timestamp, method.upper(), target, hashlib.sha256(body).hexdigest().encode()))
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest().encode()
    is_right = signature == b"t=" + timestamp + b",v1=" + expected
    return request.replace(signature, b"<right signature>" if is_right else b"<wrong signature>")
