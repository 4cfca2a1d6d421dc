"""A profile's team: opened for the browser, and the commands about it."""
