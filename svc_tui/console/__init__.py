"""The request console: the request line, saved requests, imported routes."""
