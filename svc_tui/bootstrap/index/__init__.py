"""The index of records: where it lies for each service, and the commands that search it and keep it up to date."""
