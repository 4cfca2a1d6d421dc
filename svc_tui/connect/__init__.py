"""Connecting: checks, signatures, new key pairs."""
