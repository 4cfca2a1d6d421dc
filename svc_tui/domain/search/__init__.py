"""Finding records by a few typed words, in all collections at once."""
