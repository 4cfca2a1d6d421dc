"""What single values mean: kinds, times, order, references, nested paths, formats for export."""
