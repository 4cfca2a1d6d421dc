"""Connecting a key: the welcome pages, and another key pair for a running session."""
