"""What a request written by hand is about."""

import pytest

from svc_tui.domain.editing.write_target import WriteTarget, write_target
from svc_tui.domain.http.routes import nested_collection
from svc_tui.domain.model.catalog import COLLECTIONS
from svc_tui.domain.model.records import Place

LOTS = COLLECTIONS[0]
LOT = Place(LOTS, "lot/1")
PATH = "/v1/operations/lots"
ATTACHMENTS = nested_collection(LOTS, "lot/1", "attachments")
ATTACHMENT = Place(ATTACHMENTS, "att-1")
PART = Place(nested_collection(LOTS, "lot/1", "parts"), "p-1")


@pytest.mark.parametrize(
    ("method", "target", "aim"),
    [
        ("PATCH", f"{PATH}/lot%2F1", WriteTarget(LOT, changes=LOT)),
        ("PUT", f"{PATH}/lot%2F1?force=yes", WriteTarget(LOT, changes=LOT)),
        ("DELETE", f"{PATH}/lot%2F1", WriteTarget(LOT, changes=LOT)),
        ("POST", PATH, WriteTarget(Place(LOTS), LOTS)),
        ("post", f"{PATH}?dry=no", WriteTarget(Place(LOTS), LOTS)),
        ("DELETE", PATH, WriteTarget(Place(LOTS))),
        ("POST", f"{PATH}/lot%2F1", WriteTarget(LOT)),
        ("POST", f"{PATH}/lot%2F1/split", WriteTarget(LOT)),
        ("POST", f"{PATH}/lot%2F1/approve", WriteTarget(LOT)),
        ("POST", f"{PATH}/lot%2F1/attachments", WriteTarget(Place(ATTACHMENTS), ATTACHMENTS)),
        ("PATCH", f"{PATH}/lot%2F1/attachments/att-1", WriteTarget(ATTACHMENT, changes=ATTACHMENT)),
        ("DELETE", f"{PATH}/lot%2F1/parts/p-1", WriteTarget(PART, changes=PART)),
        ("POST", "/v1/operations/hash-chain/verify", WriteTarget()),
        ("DELETE", "/v1/nowhere", WriteTarget()),
    ],
)
def test_method_and_path_tell_what_is_changed_and_where_a_record_is_made(
    method: str, target: str, aim: WriteTarget
) -> None:
    assert write_target(method, target) == aim


def test_a_collection_is_known_by_the_spelling_of_the_profile() -> None:
    spelled = LOTS.spelled("ore-lots")
    assert write_target("POST", "/v1/operations/ore-lots", (spelled,)) == WriteTarget(Place(spelled), spelled)
    under = write_target("POST", "/v1/operations/ore-lots/lot-1/attachments", (spelled,))
    assert under.makes == nested_collection(spelled, "lot-1", "attachments")
