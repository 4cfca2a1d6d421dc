"""What the index on this machine answers, and how it is kept: `index`, `find`, `sql` and `changes`."""
