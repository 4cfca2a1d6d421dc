"""The embedded service: run alone or beside the browser, and spoken to while it runs."""
