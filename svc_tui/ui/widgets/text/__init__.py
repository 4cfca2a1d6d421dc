"""Views of text that scrolls, folds and wraps."""
