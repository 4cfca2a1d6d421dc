"""The shared signed client: the only place that speaks HTTP to the service."""
