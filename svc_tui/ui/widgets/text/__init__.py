"""Text that scrolls, folds and wraps."""
