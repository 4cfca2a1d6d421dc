"""An answer of the service, read as JSON, table, text or bytes."""
