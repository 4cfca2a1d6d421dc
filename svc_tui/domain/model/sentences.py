"""Sentences made of texts that begin with a small letter, as those of errors do."""


def capitalize_first(text: str) -> str:
    """Return `text` with a capital first letter, for the start of a sentence; the other letters stay as they are."""
    return f"{text[:1].upper()}{text[1:]}"
