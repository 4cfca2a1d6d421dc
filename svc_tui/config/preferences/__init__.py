"""How the user likes the program, and what was last chosen in it."""
