"""Exporting what the table shows."""
