"""Puts the parts together: profile, client, store, app; owns their lifetimes."""
