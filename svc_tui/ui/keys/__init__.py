"""The keys: scopes and reasons of bindings, the keymap, shortcuts and commands."""
