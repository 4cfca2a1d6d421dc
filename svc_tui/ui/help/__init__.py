"""Help, the user guide, and the choice of a theme."""
