"""Finds the endpoint of a request that was let in, and has each write done once."""

from collections.abc import Mapping, Sequence
from urllib.parse import unquote

from svc_tui.core.catalog import VERSION_PREFIX
from svc_tui.sandbox.data.idempotency import JsonAnswer, earlier_answer, keep_answer, request_digest
from svc_tui.sandbox.data.store import SandboxStore
from svc_tui.sandbox.errors import ApiError
from svc_tui.sandbox.faults import FaultInjector
from svc_tui.sandbox.server.endpoints import ENDPOINTS, Endpoint, FoundEndpoint, allowed_methods
from svc_tui.sandbox.server.handlers import AuthorizedRequest, Handler, Handlers
from svc_tui.sandbox.variants import Variants


class Router:
    """The service's routes over one store. Answers wait for SQLite; a search or a chain belongs in a thread."""

    def __init__(self, store: SandboxStore, faults: FaultInjector, variants: Variants) -> None:
        self._store = store
        self._idempotent = variants["idempotency"] == "honoured"
        handlers = Handlers(store, faults, variants).by_operation()
        self._paths: dict[int, dict[tuple[str | None, ...], dict[str, tuple[Endpoint, Handler]]]] = {}
        for endpoint in ENDPOINTS:
            paths = self._paths.setdefault(len(endpoint.segments), {})
            paths.setdefault(endpoint.segments, {})[endpoint.method] = (endpoint, handlers[endpoint.operation])

    def answer(self, authorized: AuthorizedRequest) -> JsonAnswer:
        """The answer to a request; raises ApiError."""
        # Segments are told apart before they are decoded: an id may hold an encoded slash.
        _, *segments = (unquote(segment) for segment in authorized.incoming.path.split("/"))
        methods, names = self._find(segments)
        method = "GET" if authorized.incoming.method == "HEAD" else authorized.incoming.method
        if method not in methods:
            allowed = allowed_methods(methods)
            raise ApiError("method_not_allowed", f"this route supports {allowed}", {"allow": allowed})
        endpoint, handler = methods[method]
        found = FoundEndpoint(endpoint, names)
        return handler(authorized, found) if method == "GET" else self._once(authorized, handler, found)

    def _find(self, segments: Sequence[str]) -> tuple[Mapping[str, tuple[Endpoint, Handler]], tuple[str, ...]]:
        """What each method of a path does, and what stands where the path has names."""
        match segments:
            case [version, area, *_] if f"/{version}" == VERSION_PREFIX and area.casefold() == "auth":
                raise ApiError("insufficient_scope", "API keys can't call /v1/auth; it is for interactive sessions")
        for wanted, methods in self._paths.get(len(segments), {}).items():
            if all(name in (None, segment) for name, segment in zip(wanted, segments, strict=True)):
                names = (s for name, s in zip(wanted, segments, strict=True) if name is None)
                return methods, tuple(names)
        raise ApiError("not_found", "no such route")

    def _once(self, authorized: AuthorizedRequest, handler: Handler, found: FoundEndpoint) -> JsonAnswer:
        """A write, and the keeping of its answer under its idempotency key, in one transaction."""
        incoming, name = authorized.incoming, authorized.incoming.header("idempotency-key")
        with self._store.writing() as connection:
            if name is None or not self._idempotent:
                return handler(authorized, found)
            request = request_digest(incoming.method, incoming.target, authorized.body)
            if (earlier := earlier_answer(connection, authorized.key.digest, name, request, incoming.now)) is not None:
                return earlier
            answer = handler(authorized, found)
            keep_answer(connection, authorized.key.digest, name, request, answer, incoming.now)
            return answer
