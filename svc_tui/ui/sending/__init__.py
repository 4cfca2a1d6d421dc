"""Sending a write of any kind: the lock, the card before it and its ticket, and what became of it."""
