"""The action of a right click on a record, in tables and lists."""

RIGHT_BUTTON = 3
"""Textual's number of the right mouse button."""
ACTIONS_MENU = "screen.act('menu')"
"""The action of the main screen that opens the menu of the selected record."""
