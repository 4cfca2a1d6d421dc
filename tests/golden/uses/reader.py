"""Uses of the reader."""

from tests.golden.stage import Stage


def reader_finds(stage: Stage) -> None:
    """List, filter, find, follow and print records, and mistype."""
    lines = (":lots", "more", "/massKg>3000 !doré", "list", "/", "/?status=open", "/?nothing=1", "open 2", "fields")
    stage.read(
        *lines, "field assay.lab", "field 3", "copy grade", "copy link", "curl", "find wrk-0103", "load", "find doré"
    )
    stage.read(
        ":lots/lot-000001", "where", "help edit", "opne 1", "open 99", "open lots/lot-999999", ":nowhere", "list"
    )
    stage.read("help", options="lots")


def reader_edits(stage: Stage) -> None:
    """Edit fields of each type, be asked again, review, discard, send with a ticket, and undo."""
    edits = (
        "edit grade",
        "nine",
        "8.80",
        "edit note",
        ":null",
        "edit tags",
        ':json ["wet", "dry"]',
        "edit hazardous",
        "yes",
    )
    stage.read(":lots/lot-000002", *edits, "edit status", "melted", "melted", "edits", "drop status", "review", "quit")
    stage.read(":lots/lot-000002", "edits", "ticket SUP-1", "review full", "send", "journal", "journal 1")
    stage.read(":lots/lot-000002", "undo 1", "send", "undo 1", "undo 99", "journal")
    stage.note_record("lot-000002")


def reader_compares_with_a_bound(stage: Stage) -> None:
    """Compare with a value that a record has: each sign includes it or not."""
    filters = (f"/massKg{sign}{mass}" for sign in ("<", "<=", ">", ">=") for mass in ("221.16", "4142.70"))
    stage.read(":lots", "load", *filters, "/openedAt<=2024-01-01T07:25:00Z", "/openedAt<2024-01-01T07:25:00Z")


def reader_undoes_what_others_changed(stage: Stage) -> None:
    """Undo a change and a creation after others changed the same record."""
    stage.read(":lots/lot-000002", "edit note", "damp", "edit grade", "1.1", "review", "send")
    stage.run("""request PATCH lots/lot-000002 -d '{"note": "theirs"}'""")
    stage.read(":lots/lot-000002", "undo 1", "yes", "send", "fields", "journal")
    stage.read("console POST lots name=New", "send", "journal")
    stage.run("""request PATCH lots/lot-000121 -d '{"note": "theirs"}'""")
    stage.read(":lots/lot-000121", "undo 7", "no", "undo 7", "yes", "send", "journal")


def reader_on_live(stage: Stage) -> None:
    """Be asked on LIVE, unlock, lock, and be refused for a wrong word."""
    stage.read(":lots/lot-000002", "edit note", "damp", "review", "send", "no", "send", "live", "journal", key="live")
    stage.read(
        ":lots/lot-000002", "unlock", "live", "where", "edit note", "wet", "review", "send", "lock", "where", key="live"
    )
    stage.read(":lots/lot-000002", "edit note", "dry", "review", "send", "live", key="live", SVC_SIGNING_SECRET="wrong")
    stage.read(":lots/lot-000002", "edit note", "dry", "review", "send", options="--read-only", key="live")


def reader_meets_a_conflict(stage: Stage) -> None:
    """Keep a draft while others change the record, and choose between the values."""
    stage.read(":lots/lot-000002", "edit note", "mine", "edit grade", "1.1")
    stage.run("""request PATCH lots/lot-000002 -d '{"note": "theirs", "massKg": 2}'""")
    stage.read(":lots/lot-000002", "review", "send", "mine", "journal 3")
    stage.read(":lots/lot-000003", "edit note", "mine")
    stage.run("request DELETE lots/lot-000003")
    stage.read(":lots/lot-000003", "review", "send", "edits", "drop")


def reader_of_unknown_outcome(stage: Stage) -> None:
    """Lose a response, look at the record, and send again with the same key."""
    stage.fail("reset-before", 20, method="PATCH")
    stage.read(":lots/lot-000002", "edit note", "lost", "review", "send", "where", "quit")
    stage.stop_failing()
    stage.read(":lots/lot-000002", "fields", "review", "send", "journal")
    stage.fail("reset", method="POST")
    stage.read("console POST lots name=once", "send", "journal")


def reader_in_the_console(stage: Stage) -> None:
    """Send requests, save one, fill in its placeholders, create and delete a record, call an action."""
    stage.read("console GET lots/lot-000001", "save One lot", "The first lot", "requests", "requests 1", "request 1")
    stage.read("console GET lots/{id}", "lot-000005", "console POST lots name=New massKg:=1.50", "send", "journal")
    stage.read(
        "console POST lots/lot-000002/split parts:=2",
        "console",
        "drop",
        "console DELETE lots/lot-000121",
        "send",
        "lot-000121",
    )
    stage.read(
        "console PATCH lots/lot-000002 parts:=[{",
        "console GTE lots",
        "console GET /v1/auth/keys",
        "console GET lots?page=x",
    )
    stage.read(
        "curl PATCH lots/lot-000001 priority=high", "console PATCH lots/lot-000001 priority=high", "quit", key="reader"
    )


def reader_masks(stage: Stage) -> None:
    """Mask personal data on the screen and in the journal."""
    stage.write("config/svc-tui/config.toml", 'mask_fields = ["name", "note"]\n')
    stage.read(
        "workers", ":workers", "open 1", "fields", "mask on", "fields", "copy name", "find doré", "mask off", "fields"
    )
    stage.read(":lots/lot-000002", "mask on", "edit note", "private", "review", "send", "journal 1", "quit")
    stage.run("journal --format jsonl")


def reader_waits_for_the_service(stage: Stage) -> None:
    """Wait after 429 and 503, and meet a service that is gone."""
    stage.fail("429", retry_after="1")
    stage.read(":lots", "open 1")
    stage.fail("503", 3, method="PATCH")
    stage.read(":lots/lot-000002", "edit note", "late", "review", "send")
    stage.read(":lots", "list", SVC_SANDBOX_BASE_URL="http://127.0.0.1:1")
