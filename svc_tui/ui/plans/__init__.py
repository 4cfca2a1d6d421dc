"""Changes of many records: the plan to be looked at, the run that carries it out, what became of it, and its undo."""
