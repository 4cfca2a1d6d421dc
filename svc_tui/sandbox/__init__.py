"""The embedded service: the whole interface, strictly, over SQLite and real HTTP."""
