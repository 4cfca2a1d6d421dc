"""What users read when a connection to a team server fails: no words of libpq's."""

import pytest

from svc_tui.storage.team.server import _certificate_problem, _connection_problem


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            'connection failed: connection to server at "127.0.0.1", port 1 failed: Connection refused',
            "the connection was refused; check that it is running, and the port",
        ),
        (
            'connection to server on socket "/x/.s.PGSQL.5432" failed: No such file or directory Is the server running '
            "locally and accepting connections on that socket?",
            "no server listens there; check that it is running, and team in the profile",
        ),
        (
            "failed to resolve host 'nowhere': [Errno -2] Name or service not known",
            "the host name can't be resolved; check team in the profile",
        ),
        ("connection timeout expired", "it did not respond in time; check the network"),
        ("No route to host", "there is no route to the host; check the network"),
        ("FATAL: the database system is starting up", "it is starting; try again in a moment"),
        ("FATAL: the database system is shutting down", "it is shutting down; try again later"),
        ("terminating connection due to administrator command", "it closed the connection; try again"),
        ("the connection is lost", "the connection was lost; try again"),
        ("FATAL: sorry, too many clients already", "it has too many connections; try again later"),
        ("Quux", "the connection failed; check the setting team of the profile, and the network"),
    ],
)
def test_a_failed_connection_is_explained_in_plain_words(said: str, reason: str) -> None:
    assert _connection_problem(said) == reason


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("ssl error: certificate has expired", "it has expired"),
        ('server certificate for "a" does not match host name "b"', "it is for another host name"),
        (
            "self-signed certificate",
            "it is self-signed; add the certificate of its authority (CA) to team in the profile: ?sslrootcert=FILE",
        ),
        ('root certificate file "/x" does not exist', "the file of sslrootcert does not exist"),
        (
            "ssl error: certificate verify failed",
            "its authority (CA) is not trusted; add the certificate of the CA to team in the profile: "
            "?sslrootcert=FILE",
        ),
        ("server does not support ssl, but ssl was required", "the server does not support TLS"),
        ("ssl quux", "the TLS connection failed; check sslmode and sslrootcert in the setting team of the profile"),
    ],
)
def test_a_refused_certificate_is_explained_in_plain_words(said: str, reason: str) -> None:
    assert _certificate_problem(said) == reason
