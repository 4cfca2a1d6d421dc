"""Why a key is switched off where one is: the words for it, and the one answer that key, footer and help go by."""

from dataclasses import dataclass

from textual.actions import parse
from textual.dom import DOMNode

NO_RECORD = "No record is under the cursor."
NO_FIELD = "No field is under the cursor. Enter on a row opens its record."
NO_COLUMN = "No column is under the cursor."
NO_NAMED = "This field names no other record."
NO_VALUE = "Nothing is under the cursor to copy."
NOTHING_OPEN = "Nothing is open to copy from."
NOTHING_TO_PAGE = "Nothing is at hand to show in the pager."
NOT_CHANGED = "This field is not changed: there is nothing to take back."
NOTHING_TO_SEND = "Nothing to send. e edits a field."
NOTHING_TO_SORT = "There is nothing to sort yet."
NO_COLUMNS = "There are no columns yet to choose from."
NOTHING_TO_EXPORT = "There is nothing to export yet."
NOTHING_ARRANGED = "No filter and no order is in force here."
ONLY_TAB = "Only this collection is open. : opens another, q leaves."
NO_UNLOCKING = "The sandbox needs no unlocking: writes are open."
NO_HISTORY = "No history is kept: history_limit is 0 in config.toml."
NOTHING_TO_FIND_IN = "This tab has no text to find in."
NOTHING_SOUGHT = "Nothing is sought here yet: / finds."

STILL_WAITING = "still waiting for the answer to the last request"
PATH_FIRST = "give a path first"
NO_KEYS = "the profile has idempotency keys switched off"
NO_LAST_KEY = "no write was sent yet whose key could be kept"
NOT_SENT_YET = "nothing was sent yet"
NAMES_NOTHING = "this path names no collection and no record"
NO_ANSWER_TO_SAVE = "there is no answer to save"
NO_ANSWER_TO_COMPARE = "there is no answer to compare"
NO_ANSWER_TO_COPY = "there is no answer to copy"


@dataclass(frozen=True, slots=True)
class DisabledReason:
    """Why a key does nothing at all; the footer greys it, or leaves it out where what it is about is `covered`."""

    reason: str
    covered: bool = False


COVERED_BY_DIALOG = DisabledReason("The console covers the table; esc leads back.", covered=True)
WRITE_IN_FLIGHT = DisabledReason("A write is on its way.")


class ExplainsAvailability:
    """For a screen or a pane whose keys may be off: it says why, once for all who ask."""

    def disabled_reason(self, action: str, parameters: tuple[object, ...]) -> DisabledReason | None:
        """Why the action's key is not taken here and now; None where it is. Asked often: it must be told at once."""
        return None

    def noop_reason(self, action: str, parameters: tuple[object, ...]) -> str:
        """Why the action would do nothing, though its key is enabled; "" where it would act."""
        return ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Take the key of an action that is not asleep."""
        return None if self.disabled_reason(action, parameters) is not None else True


def disabled_reason(node: DOMNode, action: str) -> DisabledReason | None:
    """Why the key of a binding's `action` is not taken by `node`; None where it is."""
    if not isinstance(node, ExplainsAvailability):
        return None
    _, name, parameters = parse(action)
    return node.disabled_reason(name, parameters)


def reason_off(node: DOMNode, action: str) -> str:
    """Why a binding's `action` would not be done by `node` now; "" where it would."""
    if not isinstance(node, ExplainsAvailability):
        return ""
    if (asleep := disabled_reason(node, action)) is not None:
        return asleep.reason
    _, name, parameters = parse(action)
    return node.noop_reason(name, parameters)
