"""Why a command does nothing: one line that says what is wrong and what to do."""


class Mistake(Exception):
    """What was asked for can't be done as it was asked; the message is for people."""
