"""Palettes as Textual themes: every role is a style variable, and widgets name roles, never colours."""

from collections.abc import Mapping

from textual.theme import Theme

from svc_tui.domain.app.terminal_colors import ColorDepth, adapt_palette
from svc_tui.domain.model.settings import Palette


def role_variables(palette: Palette, depth: ColorDepth = ColorDepth.FULL) -> Mapping[str, str]:
    """The style variables of a palette on a terminal of some depth: `$role-live`, `$role-muted`, …"""
    return {f"role-{role}": colour for role, colour in adapt_palette(palette, depth).roles().items()}


def theme_of(palette: Palette, depth: ColorDepth = ColorDepth.FULL) -> Theme:
    """The palette as a theme for Textual; its own widgets (inputs, scroll bars) take their colours from the roles."""
    palette = adapt_palette(palette, depth)
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
            **role_variables(palette),
            "border": palette.accent,
            "border-blurred": palette.muted,
            "block-cursor-background": palette.accent,
            "block-cursor-foreground": palette.background,
            "block-cursor-text-style": "none",
            "block-cursor-blurred-background": palette.panel,
            "block-cursor-blurred-foreground": palette.foreground,
            "input-selection-background": f"{palette.accent} 35%",
            # Without colours a soft ground is underlined, and a strong one inverse: a bar, then.
            "scrollbar": palette.foreground if depth is ColorDepth.NONE else palette.panel,
            "scrollbar-hover": palette.muted,
            "scrollbar-active": palette.accent,
            "scrollbar-background": palette.background,
            "scrollbar-background-hover": palette.background,
            "scrollbar-background-active": palette.background,
            "scrollbar-corner-color": palette.background,
        },
    )
