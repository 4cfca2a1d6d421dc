"""Whom this system trusts to vouch for a server, in the words of libpq."""

import os
import ssl
from collections.abc import Mapping, Sequence
from pathlib import Path

SYSTEM = "system"
"""What has libpq ask its own OpenSSL, which reads `SSL_CERT_FILE` and `SSL_CERT_DIR`."""

_USUAL_FILES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)
"""Where systems keep them in one file: Debian, Fedora, openSUSE, Alpine and macOS."""


def system_authorities(variables: Mapping[str, str] = os.environ, usual_files: Sequence[str] = _USUAL_FILES) -> str:
    """The file of this system's authorities.

    The library that comes with psycopg has an OpenSSL of its own, which looks where no system keeps any: asked for the
    system's, it trusts nobody.
    """
    if variables.get("SSL_CERT_FILE") or variables.get("SSL_CERT_DIR"):
        return SYSTEM
    own = ssl.get_default_verify_paths().cafile
    return next((file for file in (*usual_files, own) if file and Path(file).is_file()), SYSTEM)
