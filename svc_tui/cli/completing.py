"""What a shell offers to complete a word of the command line with."""

import os
from collections.abc import Callable, Mapping, Sequence

import click
from click.shell_completion import CompletionItem

from svc_tui.bootstrap import completion_names
from svc_tui.bootstrap.start import Options, Stopped

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _offered(names: Callable[[], Sequence[str]], typed: str) -> list[CompletionItem]:
    try:
        found = names()
    except Stopped:
        # A shell that completes has no place to say what is wrong; the command says it when it runs.
        found = ()
    return [CompletionItem(name) for name in found if name.startswith(typed)]


def _from_files(names: Callable[[Options, Mapping[str, str]], Sequence[str]]) -> Complete:
    def complete(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
        # What other words of the line say is not known to click at this time.
        return _offered(lambda: names(Options(), os.environ), typed)

    return complete


def place(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """Collections, for a place or a collection."""
    return _offered(completion_names.collections, typed)


def method(ctx: click.Context, parameter: click.Parameter, typed: str) -> list[CompletionItem]:
    """The methods of HTTP that requests have."""
    return _offered(lambda: ("GET", "POST", "PUT", "PATCH", "DELETE"), typed.upper())


profile = _from_files(completion_names.profile_names)
saved = _from_files(completion_names.saved_names)
theme = _from_files(completion_names.theme_names)
