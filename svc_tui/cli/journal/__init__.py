"""What was written from this machine, as the journal tells it: `journal`."""
