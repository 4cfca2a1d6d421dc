"""The request console: request lines and forms, pasted commands, saved requests, history."""
