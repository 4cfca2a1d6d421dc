"""What a command says: the two streams that it is written to, the progress meanwhile, and each report in words."""
