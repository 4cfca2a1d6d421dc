"""`:`: the line that goes to a collection, a record, a path or another profile."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.search.id_list import is_id_list, listed_words, on_one_line
from svc_tui.service.redact import holds_secret, list_holds_secret
from svc_tui.ui.dialogs.dialog import Dialog, DialogFrame
from svc_tui.ui.dialogs.tour_names import tour_name
from svc_tui.ui.text import styled, visible
from svc_tui.ui.tour_steps import OpenDialog
from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from svc_tui.ui.widgets.inputs.text_input import TextInput, paste_notice

NOT_TAKEN = "Not accepted: this looks like a key or a secret. Save it in a profile."
_KEYS = "enter go · tab complete · ctrl+f search records · esc cancel"
_MARK_KEYS = "enter mark · esc cancel"
_MAX_SUGGESTIONS = 200
_NOT_FOUND_BY = re.compile("[/@#]|[a-z]+:/?/?", re.IGNORECASE)
"""How a path, a profile, a row or a link begins: what no record is found by."""


def matching_places(candidates: Sequence[str], text: str) -> list[str]:
    """The candidates for the text typed: those that begin with it, then those with a part that does, then others."""
    wanted = text.strip().casefold()
    ranked: list[tuple[int, int]] = []
    for index, candidate in enumerate(candidates):
        folded = candidate.casefold()
        if folded.startswith(wanted):
            ranked.append((0, index))
        elif any(part.startswith(wanted) for part in folded.split("/")):
            ranked.append((1, index))
        elif wanted in folded:
            ranked.append((2, index))
    return [candidates[index] for _, index in sorted(ranked)][:_MAX_SUGGESTIONS]


class PlaceInput(TextInput):
    """An input that takes one line of a paste, and never a secret."""

    class SecretPasted(Message):
        """A paste was refused."""

    def __init__(self, value: str, secrets: Sequence[str], placeholder: str) -> None:
        super().__init__(value, placeholder=placeholder)
        self._secrets = tuple(secrets)

    def _on_paste(self, event: events.Paste) -> None:
        if holds_secret(event.text, self._secrets) or list_holds_secret(event.text, self._secrets):
            event.prevent_default()
            event.stop()
            self.post_message(self.SecretPasted())

    def line_of(self, text: str) -> str:
        """What is taken of a paste: a place is one line, the id at the top of what was copied, say."""
        return next(filter(None, map(str.strip, text.splitlines())), "")


class PlacesInput(PlaceInput):
    """One that takes all ids of a paste."""

    def line_of(self, text: str) -> str:
        """The ids one after the other; the first line where there are not several."""
        return on_one_line(text)

    def notice_of(self, text: str, line: str) -> str:
        """Nothing of several ids: what they mark stands below the line."""
        return places_notice(text, line)


def places_notice(text: str, line: str) -> str:
    """Return how `line` came of a paste of several lines, "" where these are ids."""
    return "" if is_id_list(listed_words(text)) else paste_notice(text, line)


@dataclass(frozen=True, slots=True)
class SearchWanted:
    """The text in the line is to be found in the records of all collections."""

    text: str


@dataclass(frozen=True, slots=True)
class ListWanted:
    """The text in the line is several ids, whose records are to be marked."""

    text: str


@tour_name(OpenDialog.GO_TO)
class GoToScreen(Dialog[str | SearchWanted | ListWanted]):
    """Gives the text to go to, to be found or to be marked, or None.

    `check` gives the sentence that refuses a text, or None. `look_up` gives the words for the record or the row that a
    text names, and its collection; both "" where it names something else, None where it names nothing at a glance.
    `offer_marks` says of several ids what they would mark, and whether they can be marked, None of any other text.
    """

    DEFAULT_CSS = """
    GoToScreen { align: center top; }
    GoToScreen > #dialog { margin-top: 2; }
    GoToScreen OptionList { height: 8; margin-top: 1; }
    GoToScreen OptionList > .option-list--option { padding: 0; }
    GoToScreen .problem { height: auto; min-height: 1; }
    """

    BINDINGS = [
        Binding("up", "move(-1)", "Up", show=False, id="goto.up", tooltip="Move up"),
        Binding("down", "move(1)", "Down", show=False, id="goto.down", tooltip="Move down"),
        Binding(
            "ctrl+f",
            "find",
            "Search",
            show=False,
            id="goto.find",
            priority=True,
            tooltip="Search all collections",
        ),
        Binding("tab", "complete", "Complete", show=False, id="goto.complete", tooltip="Complete the text"),
    ]

    def __init__(
        self,
        candidates: Sequence[str],
        check: Callable[[str], str | None],
        initial: str = "",
        secrets: Sequence[str] = (),
        look_up: Callable[[str], tuple[str, str] | None] = lambda text: None,
        offer_marks: Callable[[str], tuple[str, bool] | None] = lambda text: None,
    ) -> None:
        super().__init__()
        self._offer_marks, self._look_up = offer_marks, look_up
        self._marks: tuple[str, bool] | None = None
        """What the line offers to mark instead of going anywhere."""
        self._candidates = tuple(dict.fromkeys(candidates))
        self._check = check
        self._secrets = tuple(secrets)
        self._initial = "" if holds_secret(initial, self._secrets) or list_holds_secret(initial, ()) else initial
        self._problem = NOT_TAKEN if self._initial != initial else ""
        self._offered: list[_Offer] = []

    def compose(self) -> ComposeResult:
        """The line, the places it could mean, and room for a refusal."""
        with DialogFrame("Go to", _KEYS):
            examples = "lots   lots/lot-000001   #250 (a row)   /v1/finance/invoices"
            yield PlacesInput(self._initial, self._secrets, examples)
            places = ChangingList(markup=False)
            places.can_focus = False
            yield places
            yield Static(self._problem, classes="problem", markup=False)

    def on_mount(self) -> None:
        """Offer what fits already."""
        self._offer(self._initial)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Offer what fits the line; a key that is being typed is hidden while it stands there."""
        line = self.query_one(PlaceInput)
        line.password = holds_secret(event.value, self._secrets)
        self._offer(event.value)
        if event.value:
            self._say("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go there, or say why not."""
        event.stop()
        highlighted = self.query_one(OptionList).highlighted
        self._leave_for(event.value.strip() if highlighted is None else self._offered[highlighted].result)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A click goes there, or says why not."""
        self._leave_for(self._offered[event.option_index].result)

    def _leave_for(self, text: str | SearchWanted) -> None:
        if self._marks is not None:
            self._leave_to_mark(*self._marks)
        elif isinstance(text, SearchWanted):
            self.dismiss(text)
        elif not text:
            self.dismiss(None)
        elif holds_secret(text, self._secrets):
            self.query_one(PlaceInput).value = ""
            self._say(NOT_TAKEN)
        elif problem := self._check(text):
            self._say(problem)
        else:
            self.dismiss(text)

    def _leave_to_mark(self, offer: str, can: bool) -> None:
        line = self.query_one(PlaceInput)
        if list_holds_secret(line.value, self._secrets):
            line.value = ""
            self._say(NOT_TAKEN)
        elif can:
            self.dismiss(ListWanted(line.value))
        else:
            self._say(offer)

    def on_place_input_secret_pasted(self) -> None:
        """Say that the paste was not taken."""
        self._say(NOT_TAKEN)

    def action_move(self, direction: int) -> None:
        """Choose another place; above the first stands the line itself."""
        places = self.query_one(OptionList)
        if not self._offered:
            return
        at = -1 if places.highlighted is None else places.highlighted
        moved = max(-1, min(at + direction, len(self._offered) - 1))
        for index in {at, moved} - {-1}:
            places.replace_option_prompt_at_index(index, _suggestion_line(self._offered[index], chosen=index == moved))
        places.highlighted = None if moved < 0 else moved

    def action_find(self) -> None:
        """Have the text found in records."""
        text = self.query_one(PlaceInput).value.strip()
        if not holds_secret(text, self._secrets):
            self.dismiss(SearchWanted(text))

    def action_complete(self) -> None:
        """Take the chosen place, or the first, into the line."""
        if not self._offered or self._marks is not None:
            return
        place = self._offered[self.query_one(OptionList).highlighted or 0].result
        if isinstance(place, str):
            line = self.query_one(PlaceInput)
            line.value = place
            line.cursor_position = len(line.value)

    def _offer(self, text: str) -> None:
        """Offer what matches, the record or the row that the line names first, the search for it last.

        The first is chosen where it is that one, or where the line itself names nothing; a search for a text with a
        slash is not, since that is a misspelt path more often.
        """
        wanted = text.strip()
        self._marks = None if list_holds_secret(wanted, self._secrets) else self._offer_marks(wanted)
        self.name_keys(_KEYS if self._marks is None else _MARK_KEYS)
        if self._marks is not None:
            self._list([_Offer(self._marks[0], "")], chosen=True)
            return
        offers = [_Offer(place, place) for place in matching_places(self._candidates, text)]
        if not wanted or holds_secret(wanted, self._secrets):
            self._list(offers, chosen=False)
            return
        named = self._look_up(wanted)
        words, collection = named or ("", "")
        if words:
            offers.insert(0, _Offer(words, wanted, collection))
        if not _NOT_FOUND_BY.match(wanted):
            offers.append(_Offer(f"Search for “{wanted}” in all collections", SearchWanted(wanted)))
        has_place = bool(offers) and (isinstance(offers[0].result, str) or "/" not in wanted)
        self._list(offers, chosen=has_place and (bool(words) or named is None))

    def _list(self, offers: "list[_Offer]", *, chosen: bool) -> None:
        self._offered = offers
        places = self.query_one(OptionList)
        places.clear_options()
        places.add_options(Option(_suggestion_line(one, chosen=chosen and not at)) for at, one in enumerate(offers))
        places.highlighted = 0 if chosen else None

    def _say(self, problem: str) -> None:
        self.query_one(".problem", Static).update(visible(problem))


@dataclass(frozen=True, slots=True)
class _Offer:
    """A line of the list: its words, what it leads to, and a note beside it."""

    words: str
    result: str | SearchWanted
    note: str = ""


def _suggestion_line(offer: _Offer, *, chosen: bool = False) -> Content:
    mark = ("› ", "$role-accent") if chosen else "  "
    note = styled(f"   {offer.note}", "$role-muted") if offer.note else ""
    return Content.assemble(mark, styled(offer.words, "bold" if chosen else ""), note)
