"""Runs the command line as `python -m svc_tui`."""

from svc_tui.cli.main import main

if __name__ == "__main__":
    main()
