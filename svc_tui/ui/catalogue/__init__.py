"""The catalogue of operations."""
