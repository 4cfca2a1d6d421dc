"""Uses of the browser to find, read, compare, correct many records, and for all that is not the edit of one record."""

from tests.golden.stage import KEYS, Stage, Window

SIZE = (120, 28)
KEY = {"KEY": KEYS[1]["api_key"]}
ALL_LOADED = r"[1-9]\d* matches in [\d,]+ loaded records"
"""The state of a search when all collections are loaded."""


def _run_command(window: Window, name: str, description: str) -> None:
    """Run a command without a key from the palette, once its description is the first line."""
    window.press("ctrl+p")
    window.sees(r"Search for commands")
    window.press(name)
    window.loses(r"Open the record|Back")
    window.sees(description)
    window.press("enter")
    window.loses(description)


def _mark_five_lots(window: Window) -> None:
    window.sees(r"lot-000001")
    window.press("v", "j", "j", "j", "j")
    window.sees(r"5 marked")


def browse_and_page(stage: Stage) -> None:
    """Open a collection, go to its end, jump to a record."""
    with stage.browse() as window:
        window.shot("first page", r"lot-000001.*")
        window.press("G")
        window.shot("last row", r"lot-000120")
        window.press(":", "lots/lot-000042", "enter")
        window.shot("record", r"─ lot-000042 ─")
        window.end("ctrl+q")


def arrange_a_table(stage: Stage) -> None:
    """Filter the loaded rows, have the service filter, sort, hide a column, look at one, save the view and open it."""
    with stage.browse("lots", SIZE) as window:
        window.sees(r"lot-000001")
        window.press("/")
        window.sees(r"  !not ")
        window.press("doré status:open")
        window.shot("filter", r"6 matches in 100")
        window.press("enter")
        window.sees(r"10 matches in 120")
        window.press("-")
        window.loses(r"matches")
        window.press("/")
        window.sees(r"  !not ")
        window.press("?status=open", "enter")
        window.sees(r"\?status=open ✕")
        window.sees(r"1–\d+ of \d\d ")
        window.press("s")
        window.sees(r"moisturePct *│")
        window.press("j", "j", "j", "j", "enter")
        window.shot("sorted", r"▲")
        window.press("o")
        window.sees(r"✓ name")
        window.press("j", " ")
        window.sees(r"│   name")
        window.press("enter")
        window.loses(r"✓ priority")
        window.press("l", "l", "l", "i")
        window.shot("summary", r"Summary")
        window.press("esc")
        window.loses(r"Summary")
        _run_command(window, "Save this view", r"as a view")
        window.sees(r"Save view")
        window.press("Low grades", "enter")
        window.dismiss(r"“Low grades”")
        window.press("-")
        window.loses(r"▲")
        window.press("-")
        window.shot("cleared", r"of 120")
        window.press("1", "j", "enter")
        window.sees(r"▲")
        window.shot("saved view", r"45 of 45")
        window.end("ctrl+q")


def go_back_and_forward(stage: Stage) -> None:
    """Open collections in the sidebar, go to a row by its number and to a path, go back and forward, close a tab."""
    with stage.browse("lots", SIZE) as window:
        window.sees(r"lot-000001")
        window.press("1", "j", "enter")
        window.sees(r"tun-01")
        window.press("enter")
        window.sees(r"─ tun-01 ─")
        window.press(":", "#60", "enter")
        window.sees(r"tun-60")
        window.press("enter")
        window.sees(r"─ tun-60 ─")
        window.press(":", "/v1/workforce/workers/wrk-0007", "enter")
        window.shot("path", r"worker7@")
        window.press("[")
        window.shot("back", r"─ tun-60 ─")
        window.press("[")
        window.sees(r"─ tun-01 ─")
        window.press("]")
        window.sees(r"─ tun-60 ─")
        window.press("ctrl+w")
        window.shot("one tab closed", r"│ lots +workers")
        window.end("ctrl+q")


def read_a_record(stage: Stage) -> None:
    """Look at all tabs of a record, search it, follow a reference, list what references that record."""
    with stage.browse("lots/lot-000002", SIZE) as window:
        window.sees(r"─ lot-000002 ─")
        window.press("}")
        window.shot("json", r'"id": "lot-000002"')
        window.press("}")
        window.shot("raw", r"200 OK")
        window.press("}")
        window.shot("history", r"assay sampled")
        window.press("{", "{", "{")
        window.sees(r"\bid +lot-000002 ")
        window.press("/")
        window.sees(r"│ / ")
        window.press("tunnel", "enter")
        window.sees(r"1 of 1")
        stage.fail("hold", 1, path="/v1/operations/tunnels/tun-49")
        window.press("p")
        window.shot("preview under way", r"─ operations/tunnels/tun-49 ─", held=1)
        stage.control("POST", "release")
        window.shot("preview", r"North Drift 4")
        window.press("esc")
        window.loses(r"North Drift 4")
        window.press("f")
        window.sees(r"─ tun-49 ─")
        stage.settle()
        window.press("R")
        window.shot("references", r"lot-000100")
        window.press("down", "enter")
        window.shot("lot that references it", r"─ Gold concentrate 89 ─")
        window.press("[")
        window.sees(r"─ tun-49 ─")
        window.end("ctrl+q")


def compare_two_records(stage: Stage) -> None:
    """Mark two lots and compare them; compare one with its state before a change."""
    stage.run("""request PATCH lots/lot-000002 -d '{"note": "dry", "grade": 8.670}'""")
    with stage.browse("lots", SIZE) as window:
        window.sees(r"lot-000001")
        window.press(" ", " ")
        window.sees(r"2 marked")
        window.press("x")
        window.sees(r"Compare the 2")
        window.press("compare")
        window.loses(r"POST +Split a lot")
        window.press("enter")
        window.shot("differences", r"lot-000001.*lot-000002")
        window.press("a", "n", "n", "n")
        window.shot("all fields", r"hazardous")
        window.press("enter")
        window.shot("one difference", r"\d characters")
        window.press("esc")
        window.loses(r"\d characters")
        window.press("esc")
        window.loses(r"─ Compare")
        window.press("U", ":", "lots/lot-000002", "enter")
        window.sees(r"─ lot-000002 ─")
        _run_command(window, "earlier version", r"[Cc]ompare the record")
        window.shot("earlier versions", r"before +PATCH")
        window.press("j", "enter")
        window.loses(r"before +PATCH")
        window.shot("earlier version", r"8\.67 ")
        window.end("ctrl+q")


def change_marked_records(stage: Stage) -> None:
    """Change a field of five lots; a refusal stops the run; stop it, resume it, let it end, and undo it."""
    stage.fail("500", 10, method="PATCH", path="/v1/operations/lots/lot-000003")
    with stage.browse("lots", SIZE) as window:
        _mark_five_lots(window)
        window.press("x")
        window.sees(r"Change a field")
        window.press("enter")
        window.sees(r"moisturePct")
        window.press("note")
        window.loses(r"moisturePct")
        window.press("enter")
        window.sees(r"5 records · note")
        window.press("damp", "enter")
        window.sees(r"5 to send")
        window.press("t")
        window.press("SUP-9", "enter")
        window.shot("plan", r"SUP-9")
        window.press("y")
        window.shot("stopped", r"Resume: ")
        stage.stop_failing()
        window.press("j", "j", "j", "j", "j", "enter")
        window.loses(r"2 of 5")
        _run_command(window, "Runs", r"Resume or undo a run")
        window.shot("runs", r"2 of 5")
        window.press("enter")
        window.sees(r"3 to send")
        window.press("y")
        window.shot("done", r"5 records changed")
        window.dismiss(r"5 records changed")
        _run_command(window, "Runs", r"Resume or undo a run")
        window.shot("finished run", r"SUP-9|─ Runs")
        window.press("enter")
        window.shot("undo", r"5 to send")
        window.press("y")
        window.shot("undone", r"5 records changed")
        window.end("ctrl+q")
    for number in range(1, 6):
        stage.note_record(f"lot-00000{number}")


def stop_and_resume_a_run(stage: Stage) -> None:
    """Stop a run while a record is under way, resume it in another session without one of the records."""
    stage.fail("hold", 1, method="PATCH", path="/v1/operations/lots/lot-000002")
    with stage.browse("lots", SIZE) as window:
        _mark_five_lots(window)
        window.press("x")
        window.sees(r"Change a field")
        window.press("enter")
        window.sees(r"moisturePct")
        window.press("priority")
        window.loses(r"moisturePct")
        window.press("enter")
        window.sees(r"5 records · priority")
        window.press("ctrl+u", "urgent", "enter")
        window.sees(r"to send")
        window.press("y")
        window.shot("under way", r"lot-000002", held=1)
        window.press("esc")
        window.loses(r"esc Stop")
        stage.control("POST", "release")
        window.shot("stopped", r"Resume: ")
        window.press("esc")
        window.loses(r"Resume: ")
        window.end("ctrl+q")
    with stage.browse("lots", SIZE) as window:
        window.shot("next start", r"Runs in Commands")
        window.dismiss(r"Runs in Commands")
        _run_command(window, "Runs", r"Resume or undo a run")
        window.sees(r"Resume: ")
        window.press("enter")
        window.sees(r"3 to send")
        window.press("n", " ")
        window.shot("one left out", r"2 to send")
        window.press("y")
        window.shot("resumed", r"records changed")
        window.end("ctrl+q")


def correct_from_a_file(stage: Stage) -> None:
    """Open a file with problems, look at them, edit a value, include a row, and send the plan."""
    rows = (
        "id,name,grade,massKg,status,color\nlot-000001,One,abc,,,\nlot-000004,Four,,,,blue\nlot-000002,,,1.234,,\n"
        "lot-000003,,,,melted,\n,New lot,1.0,5,open,\nlot-000004,Again,,,,\n"
    )
    stage.write("lots.csv", rows)
    with stage.browse("lots --corrections lots.csv", SIZE) as window:
        window.shot("plan", r"melted")
        window.press("j", "e")
        window.sees(r"lot-000001 · grade")
        window.press("ctrl+u", "9.90", "enter")
        window.loses(r"lot-000001 · grade")
        window.sees(r"3 to send")
        window.press("n", " ")
        window.sees(r"4 to send")
        window.press("n", " ")
        window.sees(r"5 to send")
        window.press("t")
        window.press("SUP-1", "enter")
        window.sees(r"SUP-1")
        window.shot("corrected", r"9\.90")
        window.press("enter")
        window.shot("details", r"POST /v1")
        window.press("esc")
        window.loses(r"POST /v1")
        window.press("y")
        window.shot("refused", r"Resume: ")
        window.press("enter")
        window.shot("done", r"lots\..*outcome\.csv")
        window.end("ctrl+q")
    (outcome,) = stage.home.glob("lots.*outcome.csv")
    stage.note_file(outcome.name)
    stage.note_record("lot-000001")


def send_requests(stage: Stage) -> None:
    """Send a read with a placeholder and a write, save the request, send one again, compare the responses."""
    with stage.browse("lots", SIZE) as window:
        window.sees(r"lot-000001")
        window.press("4")
        window.sees(r"no response yet")
        window.press("GET lots/{id}")
        window.sees(r"fill in \{id\}")
        window.press("ctrl+j")
        window.sees(r"required")
        window.press("lot-000005", "ctrl+s")
        window.shot("read", r"200 OK")
        window.press("ctrl+a", "ctrl+k", "PATCH lots/lot-000005 priority=urgent massKg:=1.50")
        window.sees(r'"massKg":1\.50')
        window.press("ctrl+j")
        window.shot("card", r"y Send")
        window.press("y")
        window.sees(r"506 B")
        window.press("ctrl+s")
        window.sees(r"Save request")
        window.press("Urgent", "enter", "Make it urgent", "enter")
        window.dismiss(r"Saved as Urgent")
        window.press("f8")
        window.shot("history", r"Request history")
        window.press("j", "ctrl+j")
        window.loses(r"Request history")
        window.sees(r"GET sends no body")
        window.sees(r"OK .* B ─")
        stage.settle()
        window.terminal.click(r'"mineral"')
        window.sees(r"\^j Send  u Undo…  : ")
        window.press("d")
        window.shot("responses to compare", r"PATCH .*200")
        window.press("enter")
        window.shot("compared", r"─ Compare")
        window.press("esc")
        window.loses(r"─ Compare")
        window.press("|")
        window.sees(r"\$")
        window.press("$.assay", "enter")
        window.loses(r'"mineral"')
        window.shot("JSONPath", r"auPpm")
        window.end("ctrl+q")
    stage.note_file("config/svc-tui/requests/urgent.toml")


def copy_and_paste_requests(stage: Stage) -> None:
    """Copy a record's link and its request as curl, paste a curl command into the console and send it, copy it."""
    pasted = (
        "curl -X PATCH 'https://api.example.com/v1/operations/lots/lot-000003' -H 'X-Trace: 7'"
        " -H 'Authorization: Bearer svc_test_of_another_computer' -d '{\"note\": \"pasted\"}'"
    )
    with stage.browse("lots/lot-000003", SIZE) as window:
        window.sees(r"─ 1–\d+ of 120 ─╮╭─ lot-000003 ─")
        window.press("y")
        window.shot("copy menu", r"request as curl")
        window.press("l")
        window.dismiss(r"Copied")
        window.note_copied()
        window.press("y")
        window.sees(r"request as curl")
        window.press("u")
        window.dismiss(r"Copied")
        window.note_copied()
        window.press("4")
        window.sees(r"no response yet")
        window.terminal.paste(pasted)
        window.shot("pasted", r"Ignored")
        window.press("ctrl+j")
        window.sees(r"y Send")
        window.press("h")
        window.shot("card with headers", r"X-Trace: 7")
        window.press("y")
        window.sees(r"200 OK")
        window.press("f6")
        window.sees(r"saved request")
        window.press("p")
        window.dismiss(r"Copied")
        window.note_copied()
        window.end("ctrl+q")


def open_imported_routes(stage: Stage) -> None:
    """Open a route of the profile from the sidebar, fill in its placeholder, send it."""
    routes = (
        '[[routes]]\nname = "Papers of a lot"\nmethod = "GET"\npath = "/v1/operations/lots/{id}/attachments"\n'
        '[[routes]]\nname = "Weigh a lot"\nmethod = "POST"\npath = "/v1/operations/lots/{id}/weigh"\n'
        'body = "{\\"kg\\": 1}"\n'
    )
    stage.add_profile("work", routes)
    with stage.browse("", SIZE, key="", SVC_TUI_PROFILE="work", **KEY) as window:
        window.sees(r"lot-000001")
        window.shot("sidebar", r"Weigh a lot")
        window.press("1", "G", "enter")
        window.shot("route with a body", r'"kg": 1')
        window.press("esc")
        window.loses(r"Console")
        window.press("1", "G", "k", "enter")
        window.sees(r"lots/\{id\}/attachments")
        window.press("ctrl+j")
        window.sees(r"required")
        window.press("lot-000002", "ctrl+s")
        window.shot("response", r"200 OK")
        window.end("ctrl+q")


def export_a_table(stage: Stage) -> None:
    """Export marked rows as CSV and the matches of a filter as Markdown."""
    with stage.browse("lots", SIZE) as window:
        window.sees(r"lot-000001")
        window.press(" ", " ")
        window.sees(r"2 marked")
        window.press("ctrl+e")
        window.shot("export", r"JSON Lines")
        window.press("enter")
        window.dismiss(r"Exported")
        window.press("U", "/")
        window.sees(r"  !not ")
        window.press("doré status:rejected", "enter")
        window.sees(r"matches in 120")
        window.press("ctrl+e")
        window.sees(r"JSON Lines")
        window.press("tab", "right", "right", "right", "tab", "ctrl+u", "rejected.md", "enter")
        window.shot("exported", r"Exported")
        window.end("ctrl+q")
    stage.note_file("lots-20260115-0801.csv")
    stage.note_file("rejected.md")


def find_in_loaded_records(stage: Stage) -> None:
    """List the collections to load, search for a name while all are loaded, open the match; search for a number."""
    with stage.browse("lots", SIZE) as window:
        window.sees(r"lot-000001")
        stage.settle()
        window.press("ctrl+f")
        window.sees(r"loaded records")
        window.press("ctrl+l")
        window.shot("load more", r"safety/incidents")
        window.press("esc")
        window.loses(r"safety/incidents")
        window.press("Kowalczyk")
        window.shot("found", ALL_LOADED)
        window.press("enter")
        window.sees(r"─ wrk-0001 ─")
        window.sees(r"workers +300 ")
        window.shot("opened", r"\n } Next tab  / Search")
        window.press("ctrl+f")
        window.sees(r"loaded records")
        window.press("ctrl+u", "massKg>4100")
        window.sees(ALL_LOADED)
        window.press("ctrl+t")
        window.shot("as a table", r"─ Search · [\s\S]*4142\.70")
        window.end("ctrl+q")


def find_in_the_index(stage: Stage) -> None:
    """Search indexed records, mark a match, export it."""
    stage.run("index update lots workforce/workers")
    with stage.browse("lots", SIZE) as window:
        window.sees(r"lot-000001")
        stage.settle()
        window.press("ctrl+f")
        window.sees(r"indexed")
        window.press("kowalczyk role:surveyor")
        window.shot("found", r"indexed records[^·]*│\n(?s:.*)wrk-0001")
        window.press("down", " ")
        window.sees(r"1 marked")
        window.press("ctrl+e")
        window.sees(r"JSON Lines")
        window.press("enter")
        window.dismiss(r"Exported")
        window.press("esc")
        window.loses(r"─ Search ─")
        window.press("s")
        window.sees(r"moisturePct *│")
        window.press("j", "j", "j", "j", "enter")
        window.shot("sorted by the index", r"grade ↑")
        window.end("ctrl+q")


def read_the_journal(stage: Stage) -> None:
    """Look at the journal, search it, copy an entry, write a case file."""
    stage.run("""request PATCH lots/lot-000002 -d '{"note": "dry"}'""")
    stage.run("""request PATCH lots/lot-000003 -d '{"note": "wet", "grade": 1.0}'""")
    with stage.browse("lots/lot-000003", SIZE) as window:
        window.sees(r"─ lot-000003 ─")
        stage.settle()
        window.press("@")
        window.shot("journal", r"Journal · 2")
        window.press("enter")
        window.shot("entry", r"idempotency key")
        window.press("esc")
        window.loses(r"idempotency key")
        window.press("/")
        window.press("lot-000002")
        window.sees(r"1 found")
        window.press("enter", "y")
        window.dismiss(r"Copied")
        window.note_copied()
        window.press("esc")
        window.sees(r"Journal · 2")
        window.press("esc")
        window.loses(r"Journal · 2")
        window.press("4")
        window.sees(r"no response yet")
        window.press("PATCH lots/lot-000003 note=seen", "ctrl+j")
        window.sees(r"y Send")
        window.press("y")
        window.sees(r"200 OK")
        window.press("esc")
        window.loses(r"200 OK")
        window.press("Y")
        window.dismiss(r"Copied")
        window.note_copied()
        _run_command(window, "Case file", r"Case file…")
        window.sees(r"case-20260115-0803\.md")
        window.press("SUP-3", "enter")
        window.shot("case file", r"Saved to")
        window.end("ctrl+q")
    stage.note_file("case-20260115-0803.md")


def mask_personal_data(stage: Stage) -> None:
    """Mask personal data and fields of the settings in table, record, search and clipboard; show them again."""
    stage.write("config/svc-tui/config.toml", 'mask_fields = ["role"]\n')
    with stage.browse("workers", SIZE) as window:
        window.sees(r"wrk-0001")
        window.press("ctrl+o")
        window.shot("masked table", r"MASKED")
        window.press("enter")
        window.shot("masked record", r"─ wrk-0001 ─")
        window.press("y")
        window.sees(r"request as curl")
        window.press("j")
        window.dismiss(r"Copied")
        window.note_copied()
        window.press("ctrl+f")
        window.sees(r"loaded records")
        window.press("Marta")
        window.shot("masked search", ALL_LOADED)
        window.press("esc")
        window.loses(r"loaded records")
        window.press("ctrl+o")
        window.shot("shown again", r"Marta Kowalczyk")
        window.end("ctrl+q")


def switch_profiles_and_replace_a_key(stage: Stage) -> None:
    """Open another profile and go back; replace a key that the service no longer accepts."""
    stage.add_profile("first")
    stage.write("key.txt", "svc_test_golden\n")
    stage.write(
        "config/svc-tui/profiles/second.toml",
        f'api_key = {{ file = "{stage.home}/key.txt" }}\nsandbox_base_url = "{stage.address}"\n',
    )
    with stage.browse("lots", SIZE, key="", SVC_TUI_PROFILE="first", **KEY) as window:
        window.sees(r"lot-000001")
        window.press(":", "@")
        window.shot("profiles", r"second")
        window.press("second", "enter")
        window.dismiss(r"SANDBOX · second")
        window.shot("second profile", r"lot-000001")
        pair = stage.control("POST", "rotate", key="sandbox")
        window.press("r")
        window.dismiss(r"Could not load")
        window.press("K")
        window.sees(r"API key")
        window.press(pair["api_key"])
        window.shot("new key", r"•••")
        window.press("enter")
        window.shot("replaced", r"Replaced")
        window.end("ctrl+q")
    stage.note_file("key.txt")


def explain_a_signature(stage: Stage) -> None:
    """Have every request on LIVE refused for a wrong secret, and ask why."""
    with stage.browse("lots", SIZE, key="live", SVC_SIGNING_SECRET="wrong") as window:
        window.shot("refused", r"signature_mismatch")
        window.press("4")
        window.sees(r"no response yet")
        window.press("GET lots/lot-000002", "ctrl+j")
        window.sees(r"401 Unauthorized")
        window.press("f9")
        window.shot("explanation", r"The string to sign is")
        window.press("esc")
        window.loses(r"The string to sign is")
        window.press("esc")
        window.loses(r"─ Console ─")
        window.press("K")
        window.shot("key of a variable", r"variable|SVC_API_KEY")
        window.end("ctrl+q")


def help_in_a_small_terminal(stage: Stage) -> None:
    """On 80x24, open a record, open and close the collections, search the keys, open the guide."""
    with stage.browse("lots", (80, 24)) as window:
        window.sees(r"lot-000001")
        window.press("enter")
        window.shot("record", r"╭─ lots / lot-000001 · .* 1 of 120 ─╮")
        window.press("b")
        window.shot("sidebar", r"Routes")
        window.press("esc")
        window.loses(r"Routes")
        window.press("esc")
        window.shot("table", r"╭─ operations / lots ─.*\n│ id")
        window.press("?")
        window.sees(r"Type to search keys")
        window.press("mark")
        window.shot("keys", r"shift\+↓")
        window.press("f1")
        window.sees(r"Guide")
        window.press("/")
        window.sees(r"Choose a page")
        window.press("Keys", "enter")
        window.sees(r"Guide · Keys")
        window.shot("guide", r"arrows")
        window.end("ctrl+q")


def browse_without_the_service(stage: Stage) -> None:
    """Start while nothing listens at the service's address, retry, meet it in the console."""
    with stage.browse("lots", SIZE, SVC_SANDBOX_BASE_URL="http://127.0.0.1:1") as window:
        window.shot("no service", r"could not connect")
        window.press("4")
        window.sees(r"no response yet")
        window.press("GET lots/lot-000002", "ctrl+j")
        window.shot("console", r"✕.*no response|could not connect")
        window.end("ctrl+q")


def set_up_a_key(stage: Stage) -> None:
    """Start without a key, fill in the form and have it checked."""
    with stage.browse("", SIZE, key="") as window:
        window.shot("welcome", r"Set up an API key")
        window.press("c")
        window.sees(r"Signing secret")
        window.press("svc_test_golden", "enter")
        window.sees(r"svc_test_•")
        window.press("enter", "enter")
        window.shot("no address", r"[Ee]nter the base URL")
        window.press(stage.address, "enter")
        window.shot("checks", r"accepts")
        window.end("ctrl+q")


def hand_over_to_the_reader(stage: Stage) -> None:
    """Go on in the reader, edit a field there, come back to the screen with the draft."""
    with stage.browse("lots/lot-000002", SIZE) as window:
        window.sees(r"─ lot-000002 ─")
        stage.settle()
        window.press("ctrl+]")
        window.sees(r"SANDBOX lot 2>")
        window.terminal.wipe()
        window.say("fields", "edit note", "wet")
        window.shot("reader", r"Not sent yet")
        window.say("screen")
        window.shot("screen", r"• lot-000002")
        window.press("ctrl+q")
        window.sees(r"y Quit")
        window.end("y")
