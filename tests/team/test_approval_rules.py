"""Which changes want a second person: what a rule can be, and which rule asks for one."""

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.team.approval_rules import ALLOWED, KINDS, ApprovalRuleError, ApprovalRules

LOT, INVOICE = "operations/lots/lot-1", "finance/invoices/inv-1"


@pytest.mark.parametrize(
    "rule",
    [*KINDS, "batch>0", "batch>20", "batch>999999999", "operations/*", "*", *(place.key for place in COLLECTIONS)],
)
def test_a_rule_is_kept_as_it_is_written(rule: str) -> None:
    assert ApprovalRules.parse([rule]).rules == (rule,)


@pytest.mark.parametrize(
    ("rule", "meant"),
    [
        ("", ""),
        ("delte", "delete"),
        ("Delete", "delete"),
        (" delete", "delete"),
        ("batch", ""),
        ("batch>", ""),
        ("batch>-1", ""),
        ("batch>1.5", ""),
        ("batch>01", ""),
        ("batch>٣", ""),
        ("batch > 5", ""),
        ("batch>=5", ""),
        ("batch>5\n", ""),
        ("operations", "operations/*"),
        ("operations/", "operations/*"),
        ("operations/lot", "operations/lots"),
        ("lots", "operations/lots"),
        ("operations/lots/lot-1", "operations/lots"),
        ("*/lots", ""),
        ("**", ""),
        ("cellars/*", ""),
    ],
)
def test_what_is_no_rule_is_told_with_the_forms_that_are_and_the_one_that_was_meant(rule: str, meant: str) -> None:
    with pytest.raises(ApprovalRuleError) as caught:
        ApprovalRules.parse(["delete", rule])
    told, _, hint = str(caught.value).partition("; did you mean ")
    assert told == f"allowed: {ALLOWED}"
    if meant:
        assert hint == f'"{meant}"?'


@pytest.mark.parametrize(
    ("rule", "kind", "place", "rows", "asked"),
    [
        ("delete", "delete", LOT, 1, True),
        ("delete", "update", LOT, 1, False),
        ("request", "request", "", 1, True),
        ("batch>20", "update", LOT, 20, False),
        ("batch>20", "update", LOT, 21, True),
        ("batch>0", "create", "", 1, True),
        ("operations/lots", "update", LOT, 1, True),
        ("operations/lots", "create", "operations/lots", 1, True),
        ("operations/lots", "update", "operations/lotsOfThem/x", 1, False),
        ("operations/lots", "update", INVOICE, 1, False),
        ("operations/lots", "request", "", 1, False),
        ("operations/*", "delete", LOT, 1, True),
        ("operations/*", "delete", INVOICE, 1, False),
        ("operations/*", "request", "", 1, False),
        ("*", "update", INVOICE, 1, True),
        ("*", "request", "", 1, True),
    ],
)
def test_a_rule_asks_for_a_second_person_by_kind_number_or_place(
    rule: str, kind: str, place: str, rows: int, asked: bool
) -> None:
    assert ApprovalRules.parse([rule]).rule_for(kind, place, rows) == (rule if asked else "")


def test_the_first_rule_that_asks_is_given() -> None:
    rules = ApprovalRules.parse(["create", "batch>5", "finance/*", "delete"])
    assert rules.rule_for("delete", INVOICE) == "finance/*"
    assert rules.rule_for("delete", LOT) == "delete"
    assert rules.rule_for("delete", INVOICE, 6) == "batch>5"
    assert rules.rule_for("update", LOT) == ""


def test_without_rules_nothing_is_asked_for() -> None:
    assert ApprovalRules.parse([]).rule_for("delete", LOT, 1_000) == ApprovalRules().rule_for("delete", LOT) == ""
