"""Palettes as Textual themes: every role is a style variable, and widgets name roles, never colors."""

from collections.abc import Mapping

from textual.theme import Theme

from svc_tui.core.contrast import least_contrast, tinted_ground
from svc_tui.core.settings import Palette
from svc_tui.ui.terminal.abilities import ColorDepth
from svc_tui.ui.terminal.colors import adapt_palette, cursor_line_ground

_SELECTION_TINT = 0.35
"""The share of accent in the background of selected text, if the text stays readable."""


def role_variables(palette: Palette, depth: ColorDepth = ColorDepth.FULL) -> Mapping[str, str]:
    """Return the style variables of a palette on a terminal of some depth: `$role-live`, `$role-muted`, …

    `$cursor-line` is the background of the cursor's line in a focused list.
    """
    roles = {f"role-{role}": colour for role, colour in adapt_palette(palette, depth).roles().items()}
    return {**roles, "cursor-line": cursor_line_ground(palette, depth)}


def theme_of(palette: Palette, depth: ColorDepth = ColorDepth.FULL) -> Theme:
    """Return the palette as a Textual theme; Textual's widgets (inputs, scroll bars) use the colors of the roles."""
    variables = role_variables(palette, depth)
    palette = adapt_palette(palette, depth)
    least = least_contrast(palette)
    chosen = tinted_ground(palette.panel, palette.accent, _SELECTION_TINT, (palette.foreground,), least)
    return Theme(
        name=palette.name,
        dark=palette.dark,
        primary=palette.accent,
        secondary=palette.reference,
        accent=palette.accent,
        warning=palette.warning,
        error=palette.danger,
        success=palette.ok,
        foreground=palette.foreground,
        background=palette.background,
        surface=palette.surface,
        panel=palette.panel,
        variables={
            **variables,
            "least-contrast": str(least),
            "text-muted": palette.muted,
            "text-disabled": palette.muted,
            "border": palette.accent,
            "border-blurred": palette.muted,
            "block-cursor-background": palette.accent,
            "block-cursor-foreground": palette.background,
            "block-cursor-text-style": "none",
            "block-cursor-blurred-background": palette.panel,
            "block-cursor-blurred-foreground": palette.foreground,
            "block-hover-background": palette.panel,
            "input-selection-background": chosen,
            "screen-selection-background": chosen,
            "screen-selection-foreground": palette.foreground,
            # Without colors a soft background is underlined, which is no bar; a strong one is inverse.
            "scrollbar": palette.foreground if depth is ColorDepth.NONE else palette.panel,
            "scrollbar-hover": palette.muted,
            "scrollbar-active": palette.accent,
            "scrollbar-background": palette.background,
            "scrollbar-background-hover": palette.background,
            "scrollbar-background-active": palette.background,
            "scrollbar-corner-color": palette.background,
        },
    )
