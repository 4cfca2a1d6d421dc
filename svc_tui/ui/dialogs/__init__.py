"""The frames that dialogs share."""
