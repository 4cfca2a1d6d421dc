"""Corrections of many records from a file: `plan` compares them with the service, `apply` carries them out."""
