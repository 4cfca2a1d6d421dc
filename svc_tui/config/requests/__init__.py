"""Requests saved as files."""
