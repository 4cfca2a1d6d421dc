"""The fields, history and writes of a record."""
