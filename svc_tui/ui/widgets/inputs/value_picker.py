"""Values to pick for a field: those that its kind offers, and unset, null and empty text, which are three things."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from textual import on
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from svc_tui.core.field_entry import ValueSuggestion
from svc_tui.core.jsontext import ABSENT, Absent, Json
from svc_tui.core.kinds import Kind, display_text
from svc_tui.ui.text import measure, pad, shorten, styled, visible
from svc_tui.ui.widgets.inputs.changing_list import ChangingList

_MAX_VALUE_CELLS = 40
_NOTE_CELLS = 30
_BOOLEAN_TEXTS = {True: "✓ true", False: "✗ false"}


class TypedText(Enum):
    """Stands for the text as it was typed, beside values."""

    AS_TYPED = auto()


class ValuePicker(ChangingList):
    """The list; says which value was picked."""

    DEFAULT_CSS = """
    ValuePicker {
        height: auto;
        max-height: 8;
        border: none;
        padding: 0;
        background: $role-surface;
    }
    """

    @dataclass
    class Picked(Message):
        """A value was picked; ABSENT: unset."""

        value: Json | Absent | TypedText

    def __init__(self, kind: Kind, *, can_unset: bool) -> None:
        """Make the list for a field of that kind."""
        super().__init__(markup=False)
        self._kind, self._can_unset = kind, can_unset
        self._values: list[Json | Absent | TypedText] = []

    def offer(
        self, offers: Sequence[ValueSuggestion], value: Json | Absent, typed: str = "", *, typed_first: bool = False
    ) -> None:
        """Offer these values, and those that every field can have; the line that Enter takes is highlighted.

        `typed` is a text that is none of the values, "" where there is none: then the first line is highlighted,
        which is the first match, with `typed_first` the text itself. Otherwise it is the line of `value`.
        """
        texts = [self._text(offer.value) for offer in offers]
        width = min(_MAX_VALUE_CELLS, max(map(measure, (text for text, _ in texts)), default=0))
        lines = [
            Content.assemble(
                styled(pad(text, width), style),
                ("  " + shorten(visible(offer.note), _NOTE_CELLS) if offer.note else "", "$role-muted"),
            )
            for offer, (text, style) in zip(offers, texts, strict=True)
        ]
        always: list[tuple[Json | Absent, str]] = [(ABSENT, "unset")] if self._can_unset else []
        always += [(None, "∅ null"), ("", '"" empty text')]
        self._values = [offer.value for offer in offers]
        if typed:
            at = 0 if typed_first else len(offers)
            self._values.insert(at, TypedText.AS_TYPED)
            words = f"Use “{shorten(visible(typed), _MAX_VALUE_CELLS)}” as typed"
            lines.insert(at, Content.styled(words, "$role-muted"))
        self._values += [value for value, _ in always]
        self.clear_options()
        self.add_options([Option(line) for line in lines])
        self.add_options([Option(Content.styled(word, "$role-muted")) for _, word in always])
        self.highlighted = 0 if typed or value not in self._values else self._values.index(value)

    def _text(self, value: Json) -> tuple[str, str]:
        shown = display_text(value, self._kind)
        word = _BOOLEAN_TEXTS[value] if isinstance(value, bool) else visible(shown.text)
        return shorten(word, _MAX_VALUE_CELLS), f"$role-{shown.role}"

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.Picked(self._values[event.option_index]))
