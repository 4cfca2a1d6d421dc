"""The view of a response."""
