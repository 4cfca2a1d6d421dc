"""Who may come in: keys, addresses, signatures, limits."""
