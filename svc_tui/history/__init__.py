"""What happened to records: timeline, versions, case file."""
