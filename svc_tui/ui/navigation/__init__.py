"""Going to a place or another profile, back and forward."""
