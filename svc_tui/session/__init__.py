"""What one session with a profile holds."""
