"""A team around one journal: what each machine did, told to all, and what colleagues ask of each other."""
