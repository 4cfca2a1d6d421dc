"""The middle of the main screen: the table with the record beside or over it, or the console in their place."""
