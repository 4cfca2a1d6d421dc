"""An answer's body as it comes off the wire: decompressed piece by piece, never into more than will be kept at a time.

Source: RFC 9110, section 8.4.1, for the two codings that the client asks for. A few bytes can hold gigabytes, so
the decompressor is told how much room is left, and one coding inside another is not followed.
"""

import zlib
from collections.abc import Callable, Iterator

_GZIP, _ZLIB, _DEFLATE = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS


class DecompressionError(Exception):
    """The body is not what its `Content-Encoding` says, or in a coding that was not asked for."""


_HANDED_ON = 1_000_000
"""Bytes that are handed on at a time, at most."""


class BodyReader:
    """What has arrived of a body; `encoding` is its `Content-Encoding`, `cap` the most bytes to keep.

    With `hand_on` nothing is kept: it is given every piece.
    """

    def __init__(self, encoding: str, cap: int, hand_on: Callable[[bytes], None] | None = None) -> None:
        self._codings = [name for name in map(str.strip, encoding.lower().split(",")) if name not in ("", "identity")]
        self._cap, self._hand_on = cap, hand_on
        self._pieces: list[bytes] = []
        self.size = 0
        """The bytes of the body so far, decompressed."""
        self._packed: _CompressedBody | None = None

    def add(self, piece: bytes) -> None:
        """Take the next bytes off the wire; raises DecompressionError."""
        if not piece:
            return
        if self._hand_on is not None:
            for unpacked in self._unpacked(piece):
                self.size += len(unpacked)
                self._hand_on(unpacked)
            return
        room = self._cap + 1 - self.size
        unpacked = piece[:room] if not self._codings else self._unpacking().unpack(piece, room)
        self._pieces.append(unpacked)
        self.size += len(unpacked)

    @property
    def over(self) -> bool:
        """Whether the body is longer than what is kept: the rest need not be read."""
        return self._hand_on is None and self.size > self._cap

    @property
    def ended(self) -> bool:
        """Whether the body may end here: what is compressed says itself where it ends."""
        return self._packed is None or self._packed.ended

    @property
    def output(self) -> bytes:
        """The body so far, at most `cap` bytes of it."""
        return b"".join(self._pieces)[: self._cap]

    def _unpacked(self, piece: bytes) -> Iterator[bytes]:
        """All that the next bytes off the wire hold, a part at a time."""
        if not self._codings:
            yield piece
            return
        packed = self._unpacking()
        yield packed.unpack(piece, _HANDED_ON)
        while packed.has_more:
            yield packed.unpack(b"", _HANDED_ON)

    def _unpacking(self) -> "_CompressedBody":
        if self._packed is None:
            if len(self._codings) > 1 or self._codings[0] not in ("gzip", "x-gzip", "deflate"):
                raise DecompressionError(
                    "the response uses an unsupported compression; only gzip and deflate are supported"
                )
            self._packed = _CompressedBody(gzip=self._codings[0] != "deflate")
        return self._packed


class _CompressedBody:
    """A gzip body, of one member or more, or a deflate body, with zlib's wrapping (as it should) or without."""

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._stream = zlib.decompressobj(_GZIP) if gzip else None
        self._rest = b""

    @property
    def has_more(self) -> bool:
        """Whether there was more in the data than there was room for, or may have been."""
        return bool(self._rest) and self._stream is not None

    @property
    def ended(self) -> bool:
        return self._stream is not None and self._stream.eof

    def unpack(self, data: bytes, room: int) -> bytes:
        """At most `room` bytes of what `data` holds, after what had no room before."""
        data, self._rest = self._rest + data, b""
        unpacked = bytearray()
        while data and len(unpacked) < room:
            if self._stream is None:
                if len(data) < 2:
                    break
                self._stream = zlib.decompressobj(_ZLIB if _has_zlib_header(data) else _DEFLATE)
            elif self._stream.eof:
                data = data.lstrip(b"\0")  # padding
                if not data:
                    break
                if not self._gzip:
                    raise DecompressionError("the response body can't be decompressed: there is data after its end")
                self._stream = zlib.decompressobj(_GZIP)
            try:
                unpacked += self._stream.decompress(data, room - len(unpacked))
            except zlib.error:
                raise DecompressionError("the response body can't be decompressed") from None
            data = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
        self._rest = data
        return bytes(unpacked)


def _has_zlib_header(data: bytes) -> bool:
    """Whether the first two bytes are zlib's (RFC 1950, 2.2)."""
    return data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0
