"""The form of a request, and its preview."""
