"""The shared signed client: the only place that speaks HTTP to the service."""

from svc_tui.client.client import SignedClient

__all__ = ["SignedClient"]
