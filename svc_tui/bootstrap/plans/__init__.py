"""Corrections of many records for the command line and the browser: their files are read here."""
