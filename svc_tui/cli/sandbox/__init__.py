"""`svc-tui sandbox`: the embedded service alone, what it is told while it runs, and what it says of itself."""
