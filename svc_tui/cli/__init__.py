"""The command line: one module per command."""

from svc_tui.cli.main import main

__all__ = ["main"]
