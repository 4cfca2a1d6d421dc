"""What one session works with, on the screens or in the reader: the service, the stores, the drafts."""
