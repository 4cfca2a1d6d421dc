"""Text that no display may trust: markup, escape sequences, bidirectional and invisible characters."""

from collections.abc import Mapping

from svc_tui.core.jsontext import Json

MARKUP_LOT = "lot-000063"
"""A lot whose name and note look like markup."""

HOSTILE_LOT = "lot-000073"
"""A lot whose text fields hold all of it at once."""

HOSTILE_TEXT = (
    "[/x] [bold]not bold[/bold] [red \"quoted' \\ back\\\\slash\nsecond line\r\n\tthird, with a tab\n"
    "\x1b]52;c;c3ZjLXR1aQ==\x07 \x1b[2J\x1b[H \x1b[31mred\x1b[0m \x9b31m \x00\x08\x7f "
    "\u202egnirts desrever\u202c \u2066isolated\u2069 zero\u200bwidth\u200djoined\ufeff soft\u00adhyphen"
)

HOSTILE: Mapping[tuple[str, int], Mapping[str, Json]] = {
    ("operations/lots", 62): {"name": "[/x] Lot [bold", "note": 'He said "stop" and wrote [/] \\ [link=x]here'},
    ("operations/lots", 67): {
        "note": "first line\nsecond line\n\nfourth line\twith a tab",
        "tags": ["[a]", "b,c", '"d"', ""],
    },
    ("operations/lots", 72): {
        "name": "[/x]\x1b[2J\u202eevil\u202c",
        "note": HOSTILE_TEXT,
        "tags": ["[bold]", "\x1b]52;c;bm8=\x07", "\u200b", "[/x]"],
    },
    ("operations/lots", 78): {"name": "=1+1", "note": '=HYPERLINK("http://example.invalid","open")'},
    ("operations/lots", 81): {"note": "🧑‍🚒👩🏽‍🔬🏴󠁧󠁢󠁳󠁣󠁴󠁿 e\u0301 Z\u0351\u0343\u0349a\u0363\u0357lgo, １２３, ﷺ"},
    ("operations/tunnels", 61): {"name": "Raise 8 ⛏️"},
    ("operations/tunnels", 62): {
        "name": "[dim]Adit[/x] 63",
        "note": "\x1b]8;;http://example.invalid\x07click\x1b]8;;\x07",
    },
    ("operations/productionLogs", 65): {"note": "]]]] [[[[ [/x] \x1b[?1049h \u202e"},
    ("operations/shiftLogs", 63): {"handover": "line one\nline two [/]\n\x1b]0;title\x07end"},
    ("workforce/workers", 68): {"name": "Robert [/x]\u200b \u202eyddoB"},
    ("workforce/workers", 83): {"name": "Zoë O’Connor 👩‍🏭"},
    ("inventory/stock", 64): {"name": 'Diesel, "low" sulphur; 50 %\t[l]'},
    ("safety/incidents", 61): {"description": HOSTILE_TEXT},
    ("finance/invoices", 66): {"note": "Pay to 'O''Brien' & <b>Co</b>; DROP TABLE invoices;--"},
}
"""Fields set over what the generator made, by collection and position from 0.

None is among the first 60 records, which a first look at a collection shows. Smaller collections lack some of them.
"""
