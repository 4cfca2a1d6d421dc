"""The local index of records: a database of its own for each service, so that it can be thrown away."""
