"""The apps, their themes and styles, and the tour."""
