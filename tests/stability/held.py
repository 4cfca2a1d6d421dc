"""What the kept stores hold, as the program gives it back."""

from datetime import UTC, datetime

from svc_tui.core.catalog import Collection
from svc_tui.core.credentials import Environment
from svc_tui.core.draft import Draft
from svc_tui.core.field_forms import FieldForm, FormAction, FormLine, FormTarget, SavedForm
from svc_tui.core.jsontext import Number
from svc_tui.core.kinds import Kind
from svc_tui.core.records import Record
from svc_tui.core.requests import RequestSpec
from svc_tui.storage.drafts import SavedDraft
from svc_tui.storage.history import RecordedRequest, RecordedResult, RequestOutcome
from svc_tui.storage.journal_entries import Intent, Outcome
from svc_tui.storage.plan import Plan, PlanRow, SourceFile
from svc_tui.storage.scope import StorageScope

NOW = datetime(2026, 11, 20, 5, 12, 7, 123456, tzinfo=UTC)
LIVE = StorageScope("default", Environment.LIVE, "https://api.example.com")
SANDBOX = StorageScope("default", Environment.SANDBOX, "https://sandbox.example.com")
LOTS = Collection("operations", "lots")
KEY = "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"
TARGET = "/v1/operations/lots/lot-1"
PLACE = "operations/lots/lot-1"

DONE = Intent(NOW, "PATCH", TARGET, PLACE, KEY, {"massKg": Number("1.50")}, {"massKg": Number("1.5000")}, "T-1")
ANSWER = Outcome(NOW, "done", 200, "", "req-1")
CUT_SHORT = Intent(NOW, "POST", "/v1/operations/lots", "operations/lots", KEY, None, {"name": "Łódź 🚂"}, "T-2")
ON_SANDBOX = Intent(NOW, "DELETE", TARGET, PLACE, KEY, {"id": "lot-1", "note": None}, None)

_BASE = Record(
    {
        "id": "lot-1",
        "massKg": Number("12345678901234567890.10"),
        "name": "Łódź 🚂 \ud800 [/x]",
        "nested": {"b": [Number("0.0"), None, True], "a": ""},
    },
    etag='W/"7"',
)
DRAFT = SavedDraft(LOTS, "lot-1", Draft(_BASE, {"massKg": Number("2.0"), "note": None}), NOW)
UNTAKEN_DRAFT = SavedDraft(LOTS, "lot-2", Draft(_BASE, {"name": "x", "massKg": Number("3")}, frozenset({"name"})), NOW)

IN_RUN = Intent(
    NOW, "PATCH", TARGET, PLACE, KEY, {"massKg": Number("1.50")}, {"massKg": Number("2.00")}, "T-7", batch="b-1", row=2
)
REFUSED = Outcome(NOW, "refused", 422, "massKg is too large", "req-2", code="validation_failed")
MAKING = Intent(
    NOW, "POST", "/v1/operations/lots", "operations/lots", KEY, None, {"name": "new"}, body_digest="ab" * 32
)
MADE = Outcome(NOW, "done", 201, "", "req-3", "lot-9", "operations/lots/lot-9")
PLAN = Plan(
    "b-1",
    LOTS,
    (PlanRow(2, record_id="lot-1", base={"massKg": Number("1.50")}, edits={"massKg": Number("2.00")}),),
    NOW,
    SourceFile("lots.csv", "ab" * 32),
    "T-7",
)
FORM = SavedForm(
    FormTarget(FormAction.NEW, LOTS), FieldForm((FormLine("massKg", Kind.NUMBER, "1.50", needed=True),)), NOW
)
SENT = RecordedRequest(
    NOW,
    RequestSpec("PATCH", TARGET, (("q", "Łódź [/x]"), ("q", "")), (("X-Trace", "7"),), b'{"massKg": 1.50}\xff', KEY),
    ("the header X-Api-Key",),
)
ANSWERED = RecordedResult(RequestOutcome.ANSWERED, 200, 0.038, 1234, "req-1", "", b'{"a": 1.50}\xff')
