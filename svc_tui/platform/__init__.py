"""What one system does otherwise than another: Unix and Windows, side by side, a module a subject."""
