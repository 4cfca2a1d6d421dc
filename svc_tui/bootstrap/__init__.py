"""Puts the parts together: profile, client, store, app; owns their lifetimes.

Parts are imported where they are used: `--version` and `--help` load none of them, and the browser's window does
not wait for the client's libraries.
"""

from svc_tui.bootstrap import profiles
from svc_tui.bootstrap.browser import browse, demo, is_set_up
from svc_tui.bootstrap.bundling import bundle
from svc_tui.bootstrap.examining import diagnose
from svc_tui.bootstrap.exporting import Exported, Wish, export
from svc_tui.bootstrap.naming import collections, profile_names, saved_names, theme_names
from svc_tui.bootstrap.requesting import Reply, request
from svc_tui.bootstrap.saved import saved_request
from svc_tui.bootstrap.service import Service, sandbox
from svc_tui.bootstrap.start import LEVELS, Options, Stopped, Tell
from svc_tui.bootstrap.welcome import welcome

__all__ = [
    "LEVELS",
    "Exported",
    "Options",
    "Reply",
    "Service",
    "Stopped",
    "Tell",
    "Wish",
    "browse",
    "bundle",
    "collections",
    "demo",
    "diagnose",
    "export",
    "is_set_up",
    "profile_names",
    "profiles",
    "request",
    "sandbox",
    "saved_names",
    "saved_request",
    "theme_names",
    "welcome",
]
