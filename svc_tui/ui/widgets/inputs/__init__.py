"""Lines to type in, and lists to choose from."""
