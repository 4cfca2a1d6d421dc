"""Corrections of many records: asked for by a file, compared with the service as a plan, carried out and taken back."""
