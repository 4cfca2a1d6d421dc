"""What the program knows and decides: plain values and pure functions, standard library only."""
