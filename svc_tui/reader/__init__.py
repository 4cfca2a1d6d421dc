"""The program as a conversation of lines, for whoever listens to a screen reader or sits at a plain terminal."""
