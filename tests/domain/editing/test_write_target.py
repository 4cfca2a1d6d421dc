"""What a request written by hand is about."""

import pytest

from svc_tui.domain.editing.write_target import Aim, aim_of
from svc_tui.domain.http.routes import nested
from svc_tui.domain.model.catalog import COLLECTIONS
from svc_tui.domain.model.records import Place

LOTS = COLLECTIONS[0]
LOT = Place(LOTS, "lot/1")
PATH = "/v1/operations/lots"
ATTACHMENTS = nested(LOTS, "lot/1", "attachments")


@pytest.mark.parametrize(
    ("method", "target", "aim"),
    [
        ("PATCH", f"{PATH}/lot%2F1", Aim(LOT)),
        ("PUT", f"{PATH}/lot%2F1?force=yes", Aim(LOT)),
        ("DELETE", f"{PATH}/lot%2F1", Aim(LOT)),
        ("POST", PATH, Aim(Place(LOTS), LOTS)),
        ("post", f"{PATH}?dry=no", Aim(Place(LOTS), LOTS)),
        ("DELETE", PATH, Aim(Place(LOTS))),
        ("POST", f"{PATH}/lot%2F1", Aim(LOT)),
        ("POST", f"{PATH}/lot%2F1/split", Aim(LOT)),
        ("POST", f"{PATH}/lot%2F1/approve", Aim(LOT)),
        ("POST", f"{PATH}/lot%2F1/attachments", Aim(Place(ATTACHMENTS), ATTACHMENTS)),
        ("PATCH", f"{PATH}/lot%2F1/attachments/att-1", Aim(Place(ATTACHMENTS, "att-1"))),
        ("DELETE", f"{PATH}/lot%2F1/parts/p-1", Aim(Place(nested(LOTS, "lot/1", "parts"), "p-1"))),
        ("POST", "/v1/operations/hash-chain/verify", Aim()),
        ("DELETE", "/v1/nowhere", Aim()),
    ],
)
def test_method_and_path_tell_what_is_changed_and_where_a_record_is_made(method: str, target: str, aim: Aim) -> None:
    assert aim_of(method, target) == aim


def test_a_collection_is_known_by_the_spelling_of_the_profile() -> None:
    spelled = LOTS.spelled("ore-lots")
    assert aim_of("POST", "/v1/operations/ore-lots", (spelled,)) == Aim(Place(spelled), spelled)
    under = aim_of("POST", "/v1/operations/ore-lots/lot-1/attachments", (spelled,))
    assert under.makes == nested(spelled, "lot-1", "attachments")
