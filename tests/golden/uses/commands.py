"""Uses of the command line."""

import csv
import io
import json

from tests.golden.stage import KEYS, Stage

LOT = "lots/lot-000002"


def _edited(exported: str, changes: dict[str, dict[str, str]]) -> str:
    """Return a CSV file with changed cells: by the id of the row and the column."""
    rows = list(csv.DictReader(io.StringIO(exported)))
    for row in rows:
        row |= changes.get(row["id"], {})
    written = io.StringIO()
    writer = csv.DictWriter(written, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    return written.getvalue()


def request_reads(stage: Stage) -> None:
    """Print records and lists, with the head and the string to sign, and errors."""
    stage.run("request GET lots/lot-000001")
    stage.run("request GET lots -q limit=2 -q page=3 -i")
    stage.run("request GET lots/lot-000001 --explain", key="live")
    stage.run("request GET lots/lot-999999")
    stage.run("request GET /v1/operations/hash-chain/verify -q tunnelId=tun-01")
    stage.run("request GET /v1/auth/keys")
    stage.run("request GET lots", key="")
    stage.run("request GET lots", key="live", SVC_SIGNING_SECRET="wrong")
    stage.run("request GET lots", key="live", SVC_SIGNING_SECRET="")
    stage.run("request GET lots", SVC_API_KEY="svc_test_unknown")
    stage.run("request GET lots", SVC_API_KEY="other_prefix")


def request_writes(stage: Stage) -> None:
    """Create, change and delete a lot, split one, and be refused."""
    stage.run(f"""request PATCH {LOT} -d '{{"priority": "urgent", "massKg": 1.50}}'""")
    stage.run("request POST lots -d @new.json")
    stage.write("new.json", '{"name": "Caf\\u00e9 lot", "massKg": 12.30, "grade": 1e2}')
    stage.run("request POST lots -d @new.json -i")
    stage.run("request POST lots/lot-000003/split -d -", stdin='{"parts": 2}')
    stage.run("request DELETE lots/lot-000004")
    stage.run(f"request PATCH {LOT} -d '{{}}'", key="reader")
    stage.run(f"""request PATCH {LOT} -d '{{"priority": "low"}}'""", key="live")
    stage.run(f"""request PATCH {LOT} -d '{{"priority": "low"}}' --live --read-only""", key="live")
    stage.run(f"""request PATCH {LOT} -d '{{"priority": "low"}}' --live""", key="live")
    stage.run("request PATCH lots/lot-000002 -d '{broken'")
    stage.run("journal")
    stage.note_record("lot-000002")


def request_retries(stage: Stage) -> None:
    """Wait for the rate limit, try again after 503, give up, and meet a web page in the place of a response."""
    stage.fail("429", retry_after="1")
    stage.run("request GET lots/lot-000001")
    stage.fail("503")
    stage.run("request GET lots/lot-000001")
    stage.fail("503", method="PATCH")
    stage.run(f"""request PATCH {LOT} -d '{{"priority": "low"}}'""")
    stage.fail("login-page")
    stage.run("request GET lots/lot-000001")
    stage.fail("html-error", 10)
    stage.run("request GET lots/lot-000001")


def request_of_unknown_outcome(stage: Stage) -> None:
    """Lose the response of a change that was saved, of one that was not, and of a creation."""
    stage.fail("reset", method="PATCH")
    stage.run(f"""request PATCH {LOT} -d '{{"note": "saved"}}'""")
    stage.stop_failing()
    stage.fail("reset-before", 10, method="PATCH")
    stage.run(f"""request PATCH {LOT} -d '{{"note": "lost"}}'""")
    stage.stop_failing()
    stage.fail("reset", method="POST")
    stage.run("""request POST lots -d '{"name": "once"}'""")
    stage.run("journal --format jsonl")


def request_with_a_wrong_clock(stage: Stage) -> None:
    """Sign by the service's clock where this computer's is wrong."""
    stage.control("POST", "clock", offset_seconds=1200)
    stage.run("request GET lots/lot-000001", key="live")
    stage.run(f"""request PATCH {LOT} -d '{{"note": "late"}}' --live""", key="live")
    stage.run("doctor", key="live")


def export_formats(stage: Stage) -> None:
    """Export a collection in each format, to stdout and to a file."""
    for form in ("jsonl", "json", "csv", "markdown"):
        stage.run(f"export lots --format {form} --max-items 3")
    stage.run("export workforce/workers -o workers.csv --page-size 50")
    stage.note_file("workers.csv")
    stage.run("export workforce/workers -o workers.csv")
    stage.run("export lots -q status=rejected --for-edit -o rejected.csv --force")
    stage.note_file("rejected.csv")
    stage.run("export lots/lot-000001/attachments --format json")
    stage.run("export lots/lot-000001")


def plan_and_apply(stage: Stage) -> None:
    """Correct lots from an edited export: plan, apply, undo by the journal's numbers."""
    stage.run("export lots --for-edit --max-items 6 -o lots.csv")
    exported = (stage.home / "lots.csv").read_text(encoding="utf-8-sig")
    changes = {
        "lot-000001": {"grade": "9.10", "note": "(null)"},
        "lot-000002": {"assay.auPpm": "1.250", "priority": "urgent"},
        "lot-000004": {"note": "(empty)"},
    }
    stage.write("lots.csv", _edited(exported, changes))
    stage.run("plan lots lots.csv -o lots.plan.json")
    stage.run("plan lots lots.csv --format json")
    stage.run("apply lots.plan.json --ticket SUP-7")
    stage.note_file("lots.plan.outcome.csv")
    stage.run("plan lots lots.csv")
    stage.run("journal --ticket SUP-7 --format jsonl")
    stage.run("journal --ticket SUP-7 --case-file")
    for number in (1, 2, 4):
        stage.note_record(f"lot-00000{number}")


def plan_with_problems(stage: Stage) -> None:
    """Meet rows with problems and rows to check, and skip or include them."""
    rows = (
        "id,name,grade,massKg,status,color\n"
        "lot-000001,One,abc,,,\nlot-999999,Two,1,,,\nlot-000002,,,1.234,,\nlot-000002,Again,,,,\n"
        "lot-000003,,,,melted,\n,New lot,1.0,5,open,\nlot-000004,Four,,,,blue\n"
    )
    stage.write("bad.csv", rows)
    stage.run("plan lots bad.csv -o bad.plan.json")
    stage.run("apply bad.plan.json")
    stage.run("plan lots bad.csv -o bad.plan.json --skip-problems")
    stage.run("apply bad.plan.json")
    stage.run("plan lots bad.csv --allow-doubts")
    stage.run("plan lots missing.csv")
    stage.write("empty.csv", "")
    stage.run("plan lots empty.csv")


def apply_stops_and_resumes(stage: Stage) -> None:
    """Stop at a refusal, resume, lose a response, resume, and meet a record that others changed."""
    rows = "".join(f"lot-00000{number},Name {number}\n" for number in range(1, 7))
    stage.write("names.csv", f"id,name\n{rows}")
    stage.run("plan lots names.csv -o names.plan.json")
    stage.fail("500", 10, method="PATCH", path="/v1/operations/lots/lot-000002")
    stage.run("apply names.plan.json")
    stage.stop_failing()
    stage.fail("reset-before", 10, method="PATCH", path="/v1/operations/lots/lot-000004")
    stage.run("apply names.plan.json --resume")
    stage.stop_failing()
    stage.run("""request PATCH lots/lot-000005 -d '{"name": "Others"}'""")
    stage.run("apply names.plan.json --resume --max-failures 5")
    stage.note_file("names.plan.outcome.csv")
    stage.run("apply names.plan.json --resume")


def index_and_search(stage: Stage) -> None:
    """Create an index, search it, query it, see what others changed, and delete it."""
    stage.run("find doré")
    stage.run("index update lots tunnels")
    stage.run("index status")
    stage.run("find doré status:closed --format jsonl --collection lots")
    stage.run("find lot-000042")
    stage.run("find 'massKg>4000' --collection lots")
    stage.run("""sql "SELECT id, name FROM lots ORDER BY massKg DESC LIMIT 3" """)
    stage.run("""sql "SELECT nothing FROM lots" """)
    stage.run("""sql "DROP TABLE lots" """)
    stage.run(f"""request PATCH {LOT} -d '{{"note": "changed", "grade": 1.10}}'""")
    stage.run("request DELETE lots/lot-000003")
    stage.run("index update lots")
    stage.run("changes --since 1h")
    stage.run("changes --since 1h --format jsonl")
    stage.run("index drop")
    stage.run("index status")


def journal_lists(stage: Stage) -> None:
    """List the journal by ticket, record and time, and find it damaged."""
    stage.run(f"""request PATCH {LOT} -d '{{"note": "one"}}'""")
    stage.run("""request PATCH lots/lot-000003 -d '{"note": "two"}'""")
    stage.run("journal --record lots/lot-000002")
    stage.run("journal --since 1m --format json")
    stage.run("journal --format csv")
    stage.run("journal --format markdown")
    stage.run("journal --ticket SUP-1")
    stage.execute("DROP TRIGGER journal_keeps_lines; UPDATE journal SET said = replace(said, 'PATCH', 'POST')")
    stage.run("journal")


def profiles_and_settings(stage: Stage) -> None:
    """Add, use, show and remove profiles; show settings and their errors; rotate a key."""
    stage.run("profiles", key="")
    stage.add_profile("work")
    variables = {"KEY": "svc_test_golden", "SECRET": "golden-secret"}
    stage.run("profiles list", key="", **variables)
    stage.run("profiles show work", key="", **variables)
    stage.run("profiles use work", key="", **variables)
    stage.run("request GET lots/lot-000001", key="", **variables)
    stage.run("config show", key="", **variables)
    stage.run("--profile nothing request GET lots", key="", **variables)
    stage.write("config/svc-tui/config.toml", 'theme = "svc-dark"\nlive_unlock_minutes = "ten"\nthem = 1\n')
    stage.run("config show", key="", **variables)
    stage.write("config/svc-tui/config.toml", 'theme = "svc-dark\n')
    stage.run("request GET lots/lot-000001", key="", **variables)
    stage.write("config/svc-tui/config.toml", "")
    stage.write("key.txt", "svc_test_golden\n")
    stage.write(
        "config/svc-tui/profiles/file.toml",
        f'api_key = {{ file = "{stage.home}/key.txt" }}\nsandbox_base_url = "{stage.address}"\n',
    )
    stage.run("--profile file request GET lots/lot-000001", key="")
    pair = stage.control("POST", "rotate", key="sandbox")
    stage.run("--profile file request GET lots/lot-000001", key="")
    stage.run("profiles rotate file", key="", stdin=f"{pair['api_key']}\n\n")
    stage.run("profiles remove file --yes", key="")
    stage.run("profiles remove nothing --yes", key="")


def imported_routes(stage: Stage) -> None:
    """Import routes from an OpenAPI document into a profile."""
    operation = {"summary": "Weigh a lot", "requestBody": {"content": {"application/json": {"example": {"kg": 1}}}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Mine", "version": "1"},
        "paths": {
            "/v1/operations/lots/{id}/weigh": {"post": operation},
            "/v1/safety/drills": {"get": {"summary": "Drills"}},
        },
    }
    stage.write("openapi.json", json.dumps(document))
    stage.add_profile("work")
    variables = {"KEY": KEYS[1]["api_key"]}
    stage.run("profiles import work openapi.json", key="", **variables)
    stage.run("profiles import work openapi.json", key="", **variables)
    stage.run("profiles import work missing.json", key="", **variables)
    stage.note_file("config/svc-tui/profiles/work.toml")


def doctor_finds_what_is_wrong(stage: Stage) -> None:
    """Check a good connection, and tell clock, secret, key, scope and network apart."""
    stage.run("doctor")
    stage.run("doctor --json", key="live")
    stage.run("doctor", key="live", SVC_SIGNING_SECRET="wrong")
    stage.run("doctor", key="live", SVC_SIGNING_SECRET="")
    stage.run("doctor", SVC_API_KEY="svc_test_unknown")
    stage.run("doctor", key="reader")
    stage.run("doctor", SVC_SANDBOX_BASE_URL="http://127.0.0.1:1")
    stage.control("POST", "clock", offset_seconds=-200)
    stage.run("doctor", key="live")


def usage_errors(stage: Stage) -> None:
    """Mistype commands and options."""
    stage.run("lotz")
    stage.run("request")
    stage.run("request GTE lots")
    stage.run("request GET lots -q page")
    stage.run("export lotz")
    stage.run("export lots --format yaml")
    stage.run("apply missing.plan.json")
    stage.run("sandbox --faults teapot")
    stage.run("--theme nothing request GET lots -q limit=1")
    stage.run("--reader")
