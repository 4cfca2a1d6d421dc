"""Which encoding a text file is in: told by its byte-order mark, by its bytes where it has none."""

import codecs

from svc_tui.domain.corrections.correction import CorrectionFileError

# The mark of UTF-16 begins that of UTF-32: the longer ones come first.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)


def decode_text(data: bytes) -> tuple[str, str]:
    """The text, and a notice where its encoding was guessed, else ""; raises CorrectionFileError."""
    for mark, codec, name in _MARKS:
        if data.startswith(mark):
            return _decode(data[len(mark) :], codec, name), ""
    if (guessed := _utf_16_without_mark(data)) is not None:
        return _decode(data, guessed, "UTF-16"), "encoding not marked; read as UTF-16"
    try:
        return data.decode(), ""
    except UnicodeDecodeError as error:
        _refuse_damaged_utf_8(data, error.start)
    return _decode(data, "cp1252", "Windows-1252"), "not UTF-8; read as Windows-1252"


def _decode(data: bytes, codec: str, name: str) -> str:
    try:
        # A tool that did not know the mark may have put another in front of it.
        return data.decode(codec).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise CorrectionFileError(
            f"The text is not valid {name} at byte {error.start + 1:,}. Save the file as UTF-8."
        ) from None


def _utf_16_without_mark(data: bytes) -> str | None:
    """The codec, where every other byte of many is NUL, as in western text of UTF-16; else None."""
    if len(data) % 2:
        return None
    low, high = data[1::2].count(0), data[::2].count(0)
    if max(low, high) * 8 < len(data) or max(low, high) < 3 * min(low, high):
        return None
    return "utf-16-le" if low > high else "utf-16-be"


def _refuse_damaged_utf_8(data: bytes, start: int) -> None:
    """Raise where more characters are plainly UTF-8 than are not: as Windows-1252 all of them would be wrong."""
    text = data.decode(errors="replace")
    damaged = text.count("\N{REPLACEMENT CHARACTER}")
    if sum(not character.isascii() for character in text) - damaged > damaged:
        line = data.count(b"\n", 0, start) + 1
        raise CorrectionFileError(f"Line {line:,}: not UTF-8, unlike the rest of the file. Save the file as UTF-8.")
