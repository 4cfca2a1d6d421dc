"""The journal of writes, and the case file of a session."""
