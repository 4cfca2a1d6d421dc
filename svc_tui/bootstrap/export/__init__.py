"""Records written to files: read from the service, laid out, put in place in one step."""
