"""The sidebar of domains and collections."""
