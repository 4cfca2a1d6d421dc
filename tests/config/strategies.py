"""Tables of settings as somebody might write them: most of them right, some with a mistake."""

from typing import Any

from hypothesis import strategies as st

Values = st.SearchStrategy[Any]
Table = st.SearchStrategy[dict[str, Any]]

ODD: list[Any] = [
    *("", " ", "x", "a/b", "..", "No Header", "Authorization", "GE T", "TRACE", "/x?a=1", "/v1/../x", "honored"),
    *("svc_live_x", "svc_test_x", "/v1/svc_test_x", "http://api.example.com", "https://me:it@a.example", "tunnels"),
    *(0, 1, 61, 1001, 100_001, -1, True, 2.5, [], ["id"], [""], [1], ["id", "id"], {}),
    *("postgresql://me@db.example.com/journal", "https://db.example.com/x", "delete", "x" * 61, ["delete"], ["delte"]),
    *({"x": "y"}, {"x": 1}, {"": "y"}, {"page": "1"}, {"k": "svc_test_x"}, {"": "operations/tunnels"}),
    *({"env": "A=B"}, {"env": "A", "file": "b"}, {"keyring": "mine"}, {"command": []}, {"cellars": {}}),
]
"""Values that some settings may have and most may not."""


def one_of(*values: Any) -> Values:
    """One of these values."""
    return st.sampled_from(values)


def table(needed: dict[str, Values], others: dict[str, Values]) -> Table:
    """Tables of such settings; in some of them one is odd, unknown, or not there."""
    right = st.fixed_dictionaries(needed, optional=others)
    names, odd = st.sampled_from([*needed, *others, "unknown"]), st.sampled_from(ODD)
    spoilt = st.builds(lambda good, name, value: {**good, name: value}, right, names, odd)
    short = st.builds(lambda good, name: {key: good[key] for key in good if key != name}, right, names)
    return st.one_of(right, right, spoilt, short)
