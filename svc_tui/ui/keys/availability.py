"""Why a key is switched off where one is: the words for it, and the one answer that key, footer and help go by."""

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
    """Why a key does nothing at all; the footer greys it, or leaves it out where what it is about is `covered`."""

    reason: str
    covered: bool = False


COVERED_BY_DIALOG = DisabledReason("Not available in the console. Press esc to go back.", covered=True)
WRITE_IN_FLIGHT = DisabledReason("A change is being sent.")


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
