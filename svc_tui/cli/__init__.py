"""The command line: one module per command, those about one thing in a folder; in `output` what they write.

Each says what its command takes and tells of itself, for `--help` and for shells that complete; what the command runs
is imported by its function.
"""
