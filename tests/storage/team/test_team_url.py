"""Where a team's journal is: what is read of an address, and what is refused of it without being repeated."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.storage.team.team_url import PARAMETERS, TeamUrl, TeamUrlError

ELSEWHERE = "others on the network could read and change the journal"
UNREACHABLE = "invalid host or port"


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("postgresql:///journal", TeamUrl("", "", None, "journal")),
        ("postgres://me@localhost/journal", TeamUrl("me", "localhost", None, "journal")),
        (" postgresql://127.0.0.1:5433/journal ", TeamUrl("", "127.0.0.1", 5433, "journal")),
        ("POSTGRESQL://[::1]:5433/j", TeamUrl("", "::1", 5433, "j")),
        (
            "postgresql://me@DB.example.com/journal",
            TeamUrl("me", "db.example.com", None, "journal", {"sslmode": "verify-full"}),
        ),
        (
            "postgresql://db.example.com/journal?sslmode=verify-full&sslrootcert=/etc/team%20ca.pem",
            TeamUrl(
                "", "db.example.com", None, "journal", {"sslmode": "verify-full", "sslrootcert": "/etc/team ca.pem"}
            ),
        ),
        (
            "postgresql://me@:5433/journal?host=/run/postgresql",
            TeamUrl("me", "", 5433, "journal", {"host": "/run/postgresql"}),
        ),
        (
            "postgresql://localhost/journal?sslmode=disable&sslcert=/c&sslkey=/k",
            TeamUrl("", "localhost", None, "journal", {"sslmode": "disable", "sslcert": "/c", "sslkey": "/k"}),
        ),
        ("postgresql://m%40e%3Ax@localhost/a%2Fb", TeamUrl("m@e:x", "localhost", None, "a/b")),
    ],
)
def test_an_address_is_read_and_shown_so_that_it_is_read_again(text: str, url: TeamUrl) -> None:
    assert TeamUrl.parse(text) == TeamUrl.parse(url.shown) == url


@given(
    st.text(st.characters(codec="utf-8")).filter(str.isprintable),
    st.sampled_from(["", "localhost", "127.0.0.1", "::1", "db.example.com"]),
    st.none() | st.integers(1, 65535),
    st.text(st.characters(codec="utf-8"), min_size=1).filter(str.isprintable),
    st.text(st.characters(codec="utf-8"), min_size=1).filter(str.isprintable),
)
def test_whatever_is_in_it_what_is_shown_is_read_again(
    user: str, host: str, port: int | None, database: str, file: str
) -> None:
    url = TeamUrl(user, host, port, database, {"sslmode": "verify-full", "sslrootcert": file})
    assert TeamUrl.parse(url.shown) == url


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("", True),
        ("localhost", True),
        ("LOCALHOST.", True),
        ("127.0.0.1", True),
        ("127.9.8.7", True),
        ("[::1]", True),
        ("[::ffff:127.0.0.1]", True),
        ("10.0.0.1", False),
        ("localhost.example.com", False),
        ("127.0.0.1.example.com", False),
        ("db", False),
        ("[2001:db8::1]", False),
    ],
)
def test_a_server_elsewhere_has_to_prove_that_it_is_the_one_that_is_meant(host: str, local: bool) -> None:
    url = TeamUrl.parse(f"postgresql://{host}/journal")
    assert url.is_local is local
    assert url.parameters == ({} if local else {"sslmode": "verify-full"})
    for mode in ("disable", "allow", "prefer", "require", "verify-ca"):
        text = f"postgresql://{host}/journal?sslmode={mode}"
        if local:
            assert TeamUrl.parse(text).parameters == {"sslmode": mode}
        else:
            with pytest.raises(TeamUrlError, match=ELSEWHERE):
                TeamUrl.parse(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "it is empty"),
        ("mysql://localhost/hidden", "it must begin with postgresql://"),
        ("https://localhost/hidden", "it must begin with postgresql://"),
        ("localhost/hidden", "it must begin with postgresql://"),
        ("postgresql:hidden", "it must begin with postgresql://"),
        ("postgresql+psycopg://localhost/hidden", "it must begin with postgresql://"),
        ("postgresql://localhost", "the database is missing"),
        ("postgresql://localhost/", "the database is missing"),
        ("postgresql:///?host=/run", "the database is missing"),
        ("postgresql://me:hidden@localhost/journal", "it contains a password"),
        ("postgresql://me:@localhost/journal", "it contains a password"),
        ("postgresql://:hidden@db.example.com/journal", "it contains a password"),
        ("postgresql://me:hid@den@localhost/journal", "it contains a password"),
        ("mysql://me:hidden@localhost/journal", "it contains a password"),
        ("postgresql://localhost/journal?password=hidden", "it contains a password"),
        ("postgresql://localhost/journal?sslpassword=hidden", "it contains a password"),
        ("postgresql://localhost/journal?pass%77ord=hidden", "it contains a password"),
        ("postgresql://me:hid/den@localhost/journal", UNREACHABLE),
        ("postgresql://me:12/hidden@localhost/journal", "contains / or @"),
        ("postgresql://localhost/journal/hidden", "contains / or @"),
        ("postgresql://me:12?hidden@localhost/journal", "the database is missing"),
        ("postgresql://me:12/a?hidden@localhost/journal", "unknown parameter"),
        ("postgresql://me:12#hidden@localhost/journal", "it contains a #"),
        ("postgresql://me:hid den@localhost/journal", "it contains a space"),
        ("postgresql://me:hid\\den@localhost/journal", "it contains a space"),
        ("postgresql://me:hid%zzden@localhost/journal", "it contains a space, a backslash, an invalid % code"),
        ("postgresql://é@localhost/journal", "non-ASCII"),
        ("postgresql://me@localhost/jour%00nal", "a character that is not printable"),
        ("postgresql://m%0Ae@localhost/journal", "a character that is not printable"),
        ("postgresql://me@localhost/jour%E2%80%AEnal", "a character that is not printable"),
        ("postgresql://me@localhost/%FF", "a character that is not printable"),
        ("postgresql://localhost:99999/journal", UNREACHABLE),
        ("postgresql://localhost:0/journal", UNREACHABLE),
        ("postgresql://localhost:x/journal", UNREACHABLE),
        ("postgresql://a,b/journal", UNREACHABLE),
        ("postgresql://%2Frun%2Fpostgresql/journal", UNREACHABLE),
        ("postgresql://127.1/journal", UNREACHABLE),
        ("postgresql://[fe80::1%25eth0]/journal", UNREACHABLE),
        ("postgresql://[::1/journal", "not a valid URL"),
        ("postgresql://localhost/journal?host=/run", "it has both a host and a socket directory"),
        ("postgresql:///journal?host=db.example.com", "the parameter host must be a socket directory"),
        ("postgresql://localhost/journal?hostaddr=10.0.0.1", "unknown parameter"),
        ("postgresql://localhost/journal?service=hidden", "unknown parameter"),
        ("postgresql://localhost/journal?sslmode=verify", "unknown sslmode; allowed: disable, allow"),
        ("postgresql://localhost/journal?sslmode=", "sslmode is empty"),
        ("postgresql://localhost/journal?sslcert=/a&sslcert=/b", "sslcert is set twice"),
        ("postgresql://db.example.com/journal?sslmode=require", ELSEWHERE),
    ],
)
def test_what_cannot_be_used_is_told_in_one_line_without_what_could_be_a_password(text: str, told: str) -> None:
    with pytest.raises(TeamUrlError) as caught:
        TeamUrl.parse(text)
    assert told in str(caught.value)
    assert str(caught.value).isprintable()
    assert not {"hidden", "hid", "den", "12"} & set(str(caught.value).replace("/", " ").split())


def test_a_refused_parameter_is_told_with_those_that_are_allowed() -> None:
    with pytest.raises(TeamUrlError, match=r"; allowed: sslmode, sslrootcert, sslcert, sslkey, host$"):
        TeamUrl.parse("postgresql:///journal?connect_timeout=3")
    assert PARAMETERS == ("sslmode", "sslrootcert", "sslcert", "sslkey", "host")


@given(st.text())
def test_anything_is_an_address_or_refused(text: str) -> None:
    for tried in (text, f"postgresql://{text}", f"postgresql://localhost/{text}", f"postgresql:///x?{text}"):
        try:
            url = TeamUrl.parse(tried)
        except TeamUrlError:
            continue
        assert TeamUrl.parse(url.shown) == url
