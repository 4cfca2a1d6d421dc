"""Finding records in all collections by a few typed words."""
