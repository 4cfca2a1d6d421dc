"""The records a new service starts with: made from a fixed seed, each on its own, the same every time."""
