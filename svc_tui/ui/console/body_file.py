"""Reads the body of a request from a file that the user named."""

from pathlib import Path

MAX_BODY_BYTES = 20_000_000
"""Bytes of a body that are read: it is held, signed and shown."""


class BodyFileError(Exception):
    """The file can't be a body; the message says why."""


def read_body(name: str) -> bytes:
    """The bytes of the file (`~` is the user's home); may block; raises BodyFileError."""
    try:
        file = Path(name).expanduser()
        if not file.is_file():
            raise BodyFileError(f"{name} is not there, or no file")
        if file.stat().st_size > MAX_BODY_BYTES:
            raise BodyFileError(
                f"{name} has more than {MAX_BODY_BYTES // 1_000_000} MB: svc-tui request -d @… sends it"
            )
        return file.read_bytes()
    except (OSError, RuntimeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise BodyFileError(f"{name} can't be read: {reason}") from None
