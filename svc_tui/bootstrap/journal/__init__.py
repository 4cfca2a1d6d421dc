"""The journal of writes: where it ends, kept in the keyring too, and what it tells the command line."""
