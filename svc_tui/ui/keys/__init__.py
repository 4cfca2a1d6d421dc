"""Keys: the key map, and why a key does nothing here."""
