"""A real proxy on the way to the service that changes what passes: a path, a body, or a header taken out."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from svc_tui.sandbox.server.inprocess import RunningService


@contextmanager
def changing_proxy(
    service: RunningService,
    path: Callable[[str], str] = lambda path: path,
    body: Callable[[bytes], bytes] = lambda body: body,
    dropped: str = "",
    unanswered: str = "",
) -> Iterator[str]:
    """A proxy on the way that changes what passes; gives its URL.

    `dropped` is a header, in lower case, that requests lose, `unanswered` one that answers do.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass(self) -> None:
            sent = body(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
            headers = {n: v for n, v in self.headers.items() if n.lower() not in ("host", "content-length", dropped)}
            connection = HTTPConnection(service.base_url.removeprefix("http://"))
            connection.request(self.command, path(self.path), sent or None, headers)
            answer = connection.getresponse()
            came = answer.read()
            connection.close()
            self.send_response_only(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("content-length", "transfer-encoding", "connection", unanswered):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(came)))
            self.end_headers()
            self.wfile.write(came)

        do_GET = do_PATCH = _pass  # noqa: N815 - the names that http.server looks for

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
