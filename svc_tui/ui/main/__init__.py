"""The main screen: its bindings, actions and messages, and the features made and joined."""
