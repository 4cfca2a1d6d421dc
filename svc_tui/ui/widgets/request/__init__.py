"""A request being composed, and as it leaves."""
