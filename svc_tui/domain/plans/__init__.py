"""A plan of changes to many records: compared with the service, looked at, carried out row by row, taken back."""
