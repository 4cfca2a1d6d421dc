"""What a team shares, stored: this machine's chain and its copy of the others' in SQLite, the server in PostgreSQL."""
