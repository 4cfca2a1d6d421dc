"""Reasons why keys are off, by which keys, the line of keys, help and palette go."""

from msgspec import Struct
from textual.actions import parse
from textual.dom import DOMNode

NO_RECORD = "No record under the cursor."
NO_ID = "No references: the record has no id."
NO_FIELD = "No field under the cursor. Press enter to open the record."
NO_COLUMN = "No column under the cursor."
NO_NAMED = "This field does not reference a record."
ITS_ID = "The id can't be changed. Go to another field."
NO_VALUE = "No value under the cursor to copy."
NOTHING_OPEN = "Nothing to copy. Open a collection first."
NOTHING_TO_PAGE = "No text here to show in the pager."
NOT_CHANGED = "This field has no edit to discard."
NOTHING_TO_SEND = "Nothing to send. Press e to edit a field."
NOTHING_TO_SORT = "No records to sort yet."
NO_COLUMNS = "No columns to choose from yet."
NOTHING_TO_EXPORT = "No records to export yet."
NOTHING_ARRANGED = "No filter, sorting or query to clear."
ONLY_TAB = "Only this collection is open. Press : to open another, or q to quit."
NO_UNLOCKING = "The sandbox is never locked."
NO_HISTORY = "Request history is off: history_limit is 0 in config.toml."
NOTHING_TO_FIND_IN = "This tab has no text to search."
NOTHING_SOUGHT = "No search yet. Press / to search."

STILL_WAITING = "still waiting for the response to the last request"
PATH_FIRST = "type a path first"
NO_KEYS = "idempotency keys are off in this profile"
NO_LAST_KEY = "no idempotency key to reuse: no change was sent yet"
NOT_SENT_YET = "no request was sent yet"
NAMES_NOTHING = "this is not the path of a collection or a record"
NO_ANSWER_TO_SAVE = "no response to save"
NO_ANSWER_TO_COMPARE = "no response to compare"
NO_ANSWER_TO_COPY = "no response to copy"


class DisabledReason(Struct, frozen=True):
    """The reason why a key is disabled; the line of keys grays it, or omits it if what it acts on is `covered`."""

    reason: str
    covered: bool = False


COVERED_BY_CONSOLE = DisabledReason("Not available in the console. Press esc to go back.", covered=True)
WRITE_IN_FLIGHT = DisabledReason("A change is being sent.")


class ExplainsAvailability:
    """A mixin for screens and panes whose keys may be off."""

    def disabled_reason(self, action: str, parameters: tuple[object, ...]) -> DisabledReason | None:
        """Return why the action's key is disabled now; None if it is enabled. Called often, so it must be fast."""
        return None

    def noop_reason(self, action: str, parameters: tuple[object, ...]) -> str:
        """Return why the action would do nothing although its key is enabled; "" if it would act."""
        return ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable the key of an action unless there is a reason to disable it."""
        return None if self.disabled_reason(action, parameters) is not None else True


def disabled_reason(node: DOMNode, action: str) -> DisabledReason | None:
    """Return why `node` disables the key of a binding's `action`; None if it does not."""
    if not isinstance(node, ExplainsAvailability):
        return None
    _, name, parameters = parse(action)
    return node.disabled_reason(name, parameters)


def reason_off(node: DOMNode, action: str) -> str:
    """Return why `node` would not carry out a binding's `action` now; "" if it would."""
    if not isinstance(node, ExplainsAvailability):
        return ""
    if (disabled := disabled_reason(node, action)) is not None:
        return disabled.reason
    _, name, parameters = parse(action)
    return node.noop_reason(name, parameters)
