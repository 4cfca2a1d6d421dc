"""What a team shares, set up and looked at: `team`."""
