"""Help, the user guide, hints, and the choice of a theme."""
