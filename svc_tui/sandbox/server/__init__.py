"""The service over HTTP: door, routes, wire, process, control, faults."""
