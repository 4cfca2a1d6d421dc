"""The ids under which bindings can be given other keys, read from the bindings themselves."""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping

from textual.binding import Binding
from textual.dom import DOMNode

from svc_tui import ui
from svc_tui.domain.spelling import nearest

DRIVER = "svc_tui.ui.driver"
"""Not loaded: it needs a Unix terminal, and declares no bindings."""


def binding_ids() -> frozenset[str]:
    """The id of every binding that this program declares; loads every part of the interface."""
    for module in pkgutil.walk_packages(ui.__path__, f"{ui.__name__}."):
        if module.name != DRIVER:
            importlib.import_module(module.name)
    return frozenset(
        binding.id
        for kind in _kinds(DOMNode)
        if kind.__module__.startswith(f"{ui.__name__}.")
        for binding in kind.__dict__.get("BINDINGS", ())
        if isinstance(binding, Binding) and binding.id
    )


def unknown_keys(wanted: Mapping[str, str]) -> list[str]:
    """One sentence for each id under `[keys]` that no binding has; Textual would pass over it in silence."""
    known = binding_ids() if wanted else frozenset()
    return [_told(name, known) for name in wanted if name not in known]


def _told(name: str, known: frozenset[str]) -> str:
    close = nearest(name, known)
    hint = f"; did you mean {close}?" if close else ""
    return f"config.toml, [keys]: there is no action {name}{hint}"


def _kinds(kind: type[DOMNode]) -> Iterator[type[DOMNode]]:
    for below in kind.__subclasses__():
        yield below
        yield from _kinds(below)
