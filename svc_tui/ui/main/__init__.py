"""The main screen: its bindings and events, the workspace, and the controllers made and joined."""
