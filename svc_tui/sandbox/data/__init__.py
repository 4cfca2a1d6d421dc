"""What the service keeps: collections, records, chains, stored answers."""
