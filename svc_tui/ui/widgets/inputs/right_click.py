"""What a right click does on a record, wherever that is shown."""

RIGHT_BUTTON = 3
"""The number that Textual gives to the right button of a mouse."""
ACTIONS_MENU = "screen.act('menu')"
"""The action of the main screen that lists what can be done with the record under the cursor."""
