"""Requests that the user writes by hand: sent, waiting to be, and saved under names."""
