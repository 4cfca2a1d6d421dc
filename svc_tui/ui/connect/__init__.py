"""Connecting a key, and replacing the key pair of a session."""
