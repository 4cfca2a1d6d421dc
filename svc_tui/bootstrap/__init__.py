"""Puts the parts together: profile, client, store, app; owns their lifetimes. One module a command.

Parts are imported where they are used: `--version` and `--help` load none of them, and the browser's window does
not wait for the client's libraries.
"""
