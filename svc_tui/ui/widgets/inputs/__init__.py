"""Inputs for text, and lists of options."""
