"""Whose certificates are trusted, and the words for a secure connection that could not be made.

Trusted is whom this system trusts, and whom `SSL_CERT_FILE` and `SSL_CERT_DIR` name: OpenSSL's own variables, which
its loader on Linux reads by itself (passing over what it can't read) and the stores of other systems don't know.
"""

import os
import re
import ssl
from collections.abc import Iterable
from pathlib import Path

import truststore

from svc_tui.service.errors import CertificateRefused, RequestRefused

_HASHED_NAME = re.compile(r"[0-9a-f]{8}\.[0-9]+")
"""How OpenSSL names the certificates of a directory, so that it finds them: `openssl rehash` makes such names."""

_UNTRUSTED_CODES = frozenset({18, 19, 20, 21})
"""X509_V_ERR codes: self-signed, or signed by an authority unknown here; source: OpenSSL, x509_vfy.h."""

_NOT_TLS = frozenset({"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG", "HTTP_REQUEST"})
"""What OpenSSL's releases call an answer that is no TLS at all."""


def make_ssl_context(scheme: str) -> ssl.SSLContext:
    """What connections to a URL of the scheme trust; it blocks. Raises RequestRefused naming the broken variable."""
    if scheme == "http":
        # Never used, since nothing is proven over plain http; it trusts nobody.
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if file := os.environ.get("SSL_CERT_FILE"):
        try:
            context.load_verify_locations(cafile=file)
        except OSError as error:
            raise _unusable_authorities("SSL_CERT_FILE", file, _reason(error)) from None
    for directory in os.environ.get("SSL_CERT_DIR", "").split(os.pathsep):
        if directory:
            _load_all(context, directory)
    return context


def certificate_refusal(causes: Iterable[BaseException], who: str) -> CertificateRefused | None:
    """The refusal that a failed handshake with `who` was; None where none failed, or the connection merely broke."""
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return CertificateRefused(f"the certificate of {who} is not trusted: {_verdict(cause)}")
        if isinstance(cause, ssl.SSLEOFError | ssl.SSLZeroReturnError):
            return None
        if isinstance(cause, ssl.SSLError):
            why = "this port does not support TLS" if cause.reason in _NOT_TLS else f"TLS error ({cause.reason})"
            return CertificateRefused(f"the TLS connection to {who} failed: {why}")
    return None


def _load_all(context: ssl.SSLContext, directory: str) -> None:
    try:
        files = [file for file in sorted(Path(directory).iterdir()) if _HASHED_NAME.fullmatch(file.name)]
    except OSError as error:
        raise _unusable_authorities("SSL_CERT_DIR", directory, _reason(error)) from None
    reason = "the directory has no certificate with a hash name (run openssl rehash)"
    loaded = False
    for file in files:
        try:
            context.load_verify_locations(cafile=file)
            loaded = True
        except OSError as error:
            # One stale link among a hundred certificates is no reason to trust none of them.
            reason = f"{file.name}: {_reason(error)}"
    if not loaded:
        raise _unusable_authorities("SSL_CERT_DIR", directory, reason)


def _reason(error: OSError) -> str:
    if isinstance(error, ssl.SSLError):
        return "it contains no valid certificate"
    return error.strerror or "it can't be read"


def _unusable_authorities(variable: str, path: str, reason: str) -> RequestRefused:
    return RequestRefused(f"{variable} is set to {path}, which can't be used: {reason}. Correct it or unset {variable}")


def _verdict(error: ssl.SSLCertVerificationError) -> str:
    reason = str(error.verify_message or "unknown reason").rstrip(".")
    if error.verify_code in _UNTRUSTED_CODES:
        return (
            f"this system does not trust its issuer ({reason}). To add a certificate authority (CA), set SSL_CERT_FILE"
        )
    return reason
