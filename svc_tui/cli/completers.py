"""What a shell offers to complete a word of the command line with."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from svc_tui.bootstrap import completion_names
from svc_tui.bootstrap.start import CommandFailure, Options

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Completer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]


def _matching_items(names: Callable[[], Sequence[str]], typed: str) -> "list[CompletionItem]":
    from click.shell_completion import CompletionItem

    try:
        items = names()
    except CommandFailure:
        # A shell that completes has no place to say what is wrong; the command says it when it runs.
        items = ()
    return [CompletionItem(name) for name in items if name.startswith(typed)]


def _names_completer(names: Callable[[Options, Mapping[str, str]], Sequence[str]]) -> Completer:
    def complete(ctx: click.Context, parameter: click.Parameter, typed: str) -> "list[CompletionItem]":
        # What other words of the line say is not known to click at this time.
        return _matching_items(lambda: names(Options(), os.environ), typed)

    return complete


def place(ctx: click.Context, parameter: click.Parameter, typed: str) -> "list[CompletionItem]":
    """Collections, for a place or a collection."""
    return _matching_items(completion_names.collection_names, typed)


def method(ctx: click.Context, parameter: click.Parameter, typed: str) -> "list[CompletionItem]":
    """The methods of HTTP that requests have."""
    return _matching_items(lambda: ("GET", "POST", "PUT", "PATCH", "DELETE"), typed.upper())


def fault(ctx: click.Context, parameter: click.Parameter, typed: str) -> "list[CompletionItem]":
    """The troubles that the embedded service can make."""
    return _matching_items(completion_names.fault_names, typed)


def variant(ctx: click.Context, parameter: click.Parameter, typed: str) -> "list[CompletionItem]":
    """The switches of the embedded service, each with its values."""
    return _matching_items(completion_names.variant_names, typed)


profile = _names_completer(completion_names.profile_names)
saved = _names_completer(completion_names.saved_request_names)
theme = _names_completer(completion_names.theme_names)
