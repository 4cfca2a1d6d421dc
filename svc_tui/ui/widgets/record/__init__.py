"""The fields, actions and writes of a record."""
