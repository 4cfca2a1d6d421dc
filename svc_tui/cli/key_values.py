"""Options that hold a name and a value."""

import click


def split_pair(text: str, separator: str, option: str, shape: str) -> tuple[str, str]:
    """The name and the value; raises UsageError where `text` has not the `shape` that `option` takes."""
    name, equals, value = text.partition(separator)
    if not equals or not name.strip():
        # The text is not repeated: the user may have put a secret there.
        raise click.UsageError(f"{option} must be {shape}")
    return name, value


def parse_query(texts: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """The parameters of `-q KEY=VALUE`."""
    return tuple(split_pair(text, "=", "-q", "KEY=VALUE") for text in texts)
