"""Finding records in all collections: by words, by terms, and by what they refer to."""
