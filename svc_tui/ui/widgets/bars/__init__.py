"""Lines of one row: status, keys, tabs; titles in borders; the notice for too small a terminal."""
