"""A team around one journal: where its server is, and which changes on LIVE want a second person."""
