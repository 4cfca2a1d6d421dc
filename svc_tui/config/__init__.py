"""What the user set up: profiles, secrets, preferences, and palettes, read and checked at the door."""
