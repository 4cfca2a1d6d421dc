"""The service over HTTP: door, routes, wire, process, control, faults."""

import sys
from types import ModuleType


class _NoCommandLine(ModuleType):
    def __getattr__(self, name: str) -> None:
        """None for whatever is imported by name; what Python itself asks a module for is not there."""
        if name.startswith("__"):
            raise AttributeError(name)


# uvicorn loads its command line along with the server, and what that and its worker processes are made of: an eighth of
# the time until the service answers. It finds this in their place; the server is taken from `uvicorn.server`.
sys.modules.setdefault("uvicorn.main", _NoCommandLine("uvicorn.main"))
