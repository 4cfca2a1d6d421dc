"""Corrections from files, plans, and the runs that carry them out."""
