"""The terminal: driver, keys, pastes, colours, clipboard, pager, editor."""
