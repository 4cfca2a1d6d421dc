"""The three-way choice: a field was changed at the service while it was being edited here."""

from collections.abc import Callable

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from svc_tui.core.draft import Draft, Freshness, json_or_unset
from svc_tui.core.jsontext import ABSENT
from svc_tui.ui.dialogs.dialog import Dialog, DialogButton, DialogFrame
from svc_tui.ui.text import styled
from svc_tui.ui.widgets.inputs.changing_list import ChangingList


class ConflictScreen(Dialog[Draft]):
    """The draft with a choice made for every field in conflict; None when closed: nothing is sent."""

    DEFAULT_CSS = """
    ConflictScreen OptionList {
        height: auto; max-height: 14; margin-top: 1; border: none; padding: 0; background: $role-surface;
    }
    """

    AUTO_FOCUS = "OptionList"
    unsolicited = True

    BINDINGS = [
        Binding("m", "choose(True)", "Mine", id="conflict.mine", tooltip="Send my value"),
        Binding("t", "choose(False)", "Theirs", id="conflict.theirs", tooltip="Keep their value"),
        Binding("y", "go_on", "Continue", id="conflict.send", tooltip="Send with these choices"),
    ]

    def __init__(
        self, record: str, base: Draft, freshness: Freshness, mask: Callable[[Draft], Draft] = lambda draft: draft
    ) -> None:
        """Make it; `mask` gives a draft as it may be seen."""
        super().__init__()
        self._masked_base, self._masked_draft = mask(base), mask(freshness.draft)
        self._record, self._base, self._freshness = record, base, freshness
        self._mine: dict[str, bool] = {}

    def compose(self) -> ComposeResult:
        """Each field with what it was, what it is now, and what the edit says."""
        with DialogFrame(Content.assemble("Conflict in ", styled(self._record)), danger=True):
            yield Static("Nothing was sent. For each field: m sends mine, t keeps theirs.", markup=False)
            yield ChangingList(*map(self._option, self._freshness.conflicts), markup=False)
            if self._freshness.moved:
                others = f"Others also changed {', '.join(self._freshness.moved)}. Those changes are kept."
                yield Static(styled(others, "$role-warning"))
            yield Static("", classes="problem", id="problem", markup=False)
            with Horizontal(classes="buttons"):
                yield DialogButton("esc Cancel", "cancel", button_id="back")
                yield DialogButton("y Continue", "go_on", button_id="go-on")

    def on_mount(self) -> None:
        """The list has the focus; Enter does nothing there, so nothing is sent by habit."""
        self.query_one(OptionList).focus()

    def _option(self, name: str) -> Option:
        chosen = self._mine.get(name)
        marks = ("●" if chosen is False else "○"), ("●" if chosen is True else "○")
        was = json_or_unset(self._masked_base.base.fields.get(name, ABSENT))
        mine = json_or_unset(self._masked_base.value(name))
        theirs = self._masked_draft.base.fields.get(name, ABSENT)
        content = Content("\n").join([
            styled(name, "bold"),
            Content.assemble(("    was     ", "$role-muted"), styled(was)),
            Content.assemble(
                (f"  {marks[0]} theirs  ", "$role-muted"), styled(json_or_unset(theirs), "$role-reference")
            ),
            Content.assemble((f"  {marks[1]} mine    ", "$role-muted"), styled(mine, "$role-changed")),
        ])  # fmt: skip
        return Option(content)

    def action_choose(self, mine: bool) -> None:
        """Choose for the field under the cursor, and go to the next one."""
        options = self.query_one(OptionList)
        at = options.highlighted or 0
        name = self._freshness.conflicts[at]
        self._mine[name] = mine
        options.replace_option_prompt_at_index(at, self._option(name).prompt)
        if at + 1 < len(self._freshness.conflicts):
            options.highlighted = at + 1
        self._say_open("")

    def _say_open(self, words: str) -> None:
        self.query_one("#problem", Static).update(styled(words))

    def action_go_on(self) -> None:
        """Close with the choices, once there is one for each field."""
        open_ones = [name for name in self._freshness.conflicts if name not in self._mine]
        if open_ones:
            self._say_open(f"Choose a value for {', '.join(open_ones)}.")
            return
        draft = self._freshness.draft
        for name, mine in self._mine.items():
            if not mine:
                draft = draft.without(name)
        self.dismiss(draft)
