"""A terminal browser for a signed mining-operations HTTP API."""

__version__ = "0.1.0"
