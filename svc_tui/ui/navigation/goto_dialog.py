"""The `:` line, which goes to a collection, a record, a path or another profile."""

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
from svc_tui.ui.navigation.destinations import ListDestination, SearchDestination
from svc_tui.ui.text import styled, visible
from svc_tui.ui.tour_steps import OpenDialog
from svc_tui.ui.widgets.inputs.changing_list import ChangingList
from svc_tui.ui.widgets.inputs.text_input import TextInput, paste_notice

NOT_TAKEN = "Not accepted: this looks like a key or a secret. Save it in a profile."
_KEYS = "enter go · tab complete · ctrl+f search records · esc cancel"
_MARK_KEYS = "enter mark · esc cancel"
_MAX_SUGGESTIONS = 200
_NOT_FOUND_BY = re.compile("[/@#]|[a-z]+:/?/?", re.IGNORECASE)
"""The beginning of a path, a profile, a row or a link, for which no search is offered."""


def matching_places(candidates: Sequence[str], text: str) -> list[str]:
    """Return the candidates that contain the text: those that begin with it first, then those with a part that does."""
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
        """Return the first line of a paste that is not empty."""
        return next(filter(None, map(str.strip, text.splitlines())), "")


class PlacesInput(PlaceInput):
    """An input that takes all ids of a paste."""

    def line_of(self, text: str) -> str:
        """Return all ids of a paste in one line; without several ids, the first line."""
        return on_one_line(text)

    def notice_of(self, text: str, line: str) -> str:
        """Return "" for several ids: the list below shows what they mark."""
        return places_notice(text, line)


def places_notice(text: str, line: str) -> str:
    """Return a notice how `line` was made of a paste of several lines; "" if these are ids."""
    return "" if is_id_list(listed_words(text)) else paste_notice(text, line)


class GoToScreen(Dialog[str | SearchDestination | ListDestination]):
    """Returns the text to go to, a text to search for, ids to mark, or None.

    `check` returns why a text is no destination, or None. `look_up` returns a label for the record or the row that a
    text names, and its collection; both "" if it names something else, None if it seems to name nothing. `offer_marks`
    returns for several ids what they would mark, and True if they can be marked; None for any other text.
    """

    TOUR_NAME = OpenDialog.GO_TO

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
        """The offer to mark the records of several ids."""
        self._candidates = tuple(dict.fromkeys(candidates))
        self._check = check
        self._secrets = tuple(secrets)
        self._initial = "" if holds_secret(initial, self._secrets) or list_holds_secret(initial, ()) else initial
        self._problem = NOT_TAKEN if self._initial != initial else ""
        self._offered: list[_Offer] = []

    def compose(self) -> ComposeResult:
        """Show the line, the matching places, and room for a problem."""
        with DialogFrame("Go to", _KEYS):
            examples = "lots   lots/lot-000001   #250 (a row)   /v1/finance/invoices"
            yield PlacesInput(self._initial, self._secrets, examples)
            places = ChangingList(markup=False)
            places.can_focus = False
            yield places
            yield Static(self._problem, classes="problem", markup=False)

    def on_mount(self) -> None:
        """Offer what matches the initial text."""
        self._offer(self._initial)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Offer what matches the line; hide it while it contains a key."""
        line = self.query_one(PlaceInput)
        line.password = holds_secret(event.value, self._secrets)
        self._offer(event.value)
        if event.value:
            self._show_problem("")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Return the chosen destination, or show why it is none."""
        event.stop()
        highlighted = self.query_one(OptionList).highlighted
        self._finish(event.value.strip() if highlighted is None else self._offered[highlighted].result)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Return the clicked destination, or show why it is none."""
        self._finish(self._offered[event.option_index].result)

    def _finish(self, text: str | SearchDestination) -> None:
        if self._marks is not None:
            self._finish_marking(*self._marks)
        elif isinstance(text, SearchDestination):
            self.dismiss(text)
        elif not text:
            self.dismiss(None)
        elif holds_secret(text, self._secrets):
            self.query_one(PlaceInput).value = ""
            self._show_problem(NOT_TAKEN)
        elif problem := self._check(text):
            self._show_problem(problem)
        else:
            self.dismiss(text)

    def _finish_marking(self, offer: str, can: bool) -> None:
        line = self.query_one(PlaceInput)
        if list_holds_secret(line.value, self._secrets):
            line.value = ""
            self._show_problem(NOT_TAKEN)
        elif can:
            self.dismiss(ListDestination(line.value))
        else:
            self._show_problem(offer)

    def on_place_input_secret_pasted(self) -> None:
        """Show that the paste was not accepted."""
        self._show_problem(NOT_TAKEN)

    def action_move(self, direction: int) -> None:
        """Choose another place; above the first, the line itself."""
        places = self.query_one(OptionList)
        if not self._offered:
            return
        at = -1 if places.highlighted is None else places.highlighted
        moved = max(-1, min(at + direction, len(self._offered) - 1))
        for index in {at, moved} - {-1}:
            places.replace_option_prompt_at_index(index, _suggestion_line(self._offered[index], chosen=index == moved))
        places.highlighted = None if moved < 0 else moved

    def action_find(self) -> None:
        """Return the text to search for."""
        text = self.query_one(PlaceInput).value.strip()
        if not holds_secret(text, self._secrets):
            self.dismiss(SearchDestination(text))

    def action_complete(self) -> None:
        """Complete the line to the chosen place, or the first."""
        if not self._offered or self._marks is not None:
            return
        place = self._offered[self.query_one(OptionList).highlighted or 0].result
        if isinstance(place, str):
            line = self.query_one(PlaceInput)
            line.value = place
            line.cursor_position = len(line.value)

    def _offer(self, text: str) -> None:
        """Offer what matches, the record or the row that the line names first, the search for it last.

        The first is chosen if it is that record or row, or if the line itself names nothing; but a search is not chosen
        for a text with a slash, which is more likely a misspelled path.
        """
        wanted = text.strip()
        self._marks = None if list_holds_secret(wanted, self._secrets) else self._offer_marks(wanted)
        self.name_keys(_KEYS if self._marks is None else _MARK_KEYS)
        if self._marks is not None:
            self._show_offers([_Offer(self._marks[0], "")], chosen=True)
            return
        offers = [_Offer(place, place) for place in matching_places(self._candidates, text)]
        if not wanted or holds_secret(wanted, self._secrets):
            self._show_offers(offers, chosen=False)
            return
        named = self._look_up(wanted)
        words, collection = named or ("", "")
        if words:
            offers.insert(0, _Offer(words, wanted, collection))
        if not _NOT_FOUND_BY.match(wanted):
            offers.append(_Offer(f"Search for “{wanted}” in all collections", SearchDestination(wanted)))
        has_place = bool(offers) and (isinstance(offers[0].result, str) or "/" not in wanted)
        self._show_offers(offers, chosen=has_place and (bool(words) or named is None))

    def _show_offers(self, offers: "list[_Offer]", *, chosen: bool) -> None:
        self._offered = offers
        places = self.query_one(OptionList)
        places.clear_options()
        places.add_options(Option(_suggestion_line(offer, chosen=chosen and not at)) for at, offer in enumerate(offers))
        places.highlighted = 0 if chosen else None

    def _show_problem(self, problem: str) -> None:
        self.query_one(".problem", Static).update(visible(problem))


@dataclass(frozen=True, slots=True)
class _Offer:
    """A line of the list: its words, its result, and a note beside it."""

    words: str
    result: str | SearchDestination
    note: str = ""


def _suggestion_line(offer: _Offer, *, chosen: bool = False) -> Content:
    mark = ("› ", "$role-accent") if chosen else "  "
    note = styled(f"   {offer.note}", "$role-muted") if offer.note else ""
    return Content.assemble(mark, styled(offer.words, "bold" if chosen else ""), note)
