"""The table drawn line by line."""
