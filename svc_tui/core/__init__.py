"""Values and pure helpers that every package uses; no input or output."""
