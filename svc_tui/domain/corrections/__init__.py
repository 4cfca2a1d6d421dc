"""What a file asks for: read from tables and JSON, what its cells mean, and how records are exported to come back."""
