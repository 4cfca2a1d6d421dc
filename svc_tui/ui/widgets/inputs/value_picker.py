"""Values to pick for a field, narrowed by what is typed; a text that is none of them comes last."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from textual import on
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive, var
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


class ValuePicker(ChangingList, can_focus=False):
    """The list; says which value was picked. Keys go to the text field beside it."""

    DEFAULT_CSS = """
    ValuePicker { border: none; padding: 0; background: $role-surface; }
    ValuePicker > .option-list--option { padding: 0 0 0 1; }
    """

    virtual_size: Reactive[Size] = var(Size(0, 0))
    """What there is to scroll over. The list is as large as it is whatever that is: nothing is laid out for it."""

    @dataclass
    class Picked(Message):
        """A value was picked."""

        value: Json | TypedText

    def __init__(self, kind: Kind) -> None:
        """Make the list for a field of that kind."""
        super().__init__(markup=False)
        self._kind = kind
        self.values: tuple[Json | TypedText, ...] = ()
        """The values on offer."""
        self.cells = 0
        """The cells that the widest line takes."""

    def offer(self, offers: Sequence[ValueSuggestion], typed: str, highlighted: Json | Absent | TypedText) -> None:
        """Offer these values, and last the text `typed` where it is none of them; "" where there is no such text.

        The line of `highlighted` is highlighted, or none.
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
        self.values = tuple(offer.value for offer in offers)
        if typed:
            self.values += (TypedText.AS_TYPED,)
            words = f"Use “{shorten(visible(typed), _MAX_VALUE_CELLS)}” as typed"
            lines.append(Content.styled(words, "$role-muted"))
        self.cells = 1 + max((line.cell_length for line in lines), default=0)
        self.clear_options()
        self.add_options([Option(line) for line in lines])
        self.highlighted = self.values.index(highlighted) if highlighted in self.values else None

    @property
    def choice(self) -> Json | Absent | TypedText:
        """The value of the highlighted line; ABSENT where none is."""
        return ABSENT if self.highlighted is None else self.values[self.highlighted]

    def _text(self, value: Json) -> tuple[str, str]:
        shown = display_text(value, self._kind)
        word = _BOOLEAN_TEXTS[value] if isinstance(value, bool) else visible(shown.text)
        return shorten(word, _MAX_VALUE_CELLS), f"$role-{shown.role}"

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.post_message(self.Picked(self.values[event.option_index]))
