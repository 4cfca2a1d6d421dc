"""The command line: one module per command."""

import click


@click.group()
def main() -> None:
    """A terminal browser for a signed mining-operations HTTP API."""
