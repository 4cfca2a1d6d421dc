"""A terminal browser for a signed mining-operations HTTP API."""

__version__ = "1.0.1"
