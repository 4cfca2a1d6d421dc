"""What the reader says to a team, and hears of it."""
