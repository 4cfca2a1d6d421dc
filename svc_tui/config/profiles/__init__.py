"""Profiles, their secrets, and what connects to a service."""
