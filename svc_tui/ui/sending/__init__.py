"""The path of every write: the lock, the card with its ticket, and sending."""
