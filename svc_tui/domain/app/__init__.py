"""The program around the work: layout, keys, hints, the tour, masking, what a terminal can show."""
