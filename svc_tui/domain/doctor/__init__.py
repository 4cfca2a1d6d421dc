"""Finding out what is wrong: checks, signatures, a new connection, another key."""
