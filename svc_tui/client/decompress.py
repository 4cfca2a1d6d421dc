"""An answer's body as it comes off the wire: decompressed piece by piece, never into more than will be kept.

Source: RFC 9110, section 8.4.1, for the two codings that the client asks for. A few bytes can hold gigabytes, so
the decompressor is told how much room is left, and one coding inside another is not followed.
"""

import zlib

_GZIP, _ZLIB, _DEFLATE = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS


class DecompressionError(Exception):
    """The body is not what its `Content-Encoding` says, or in a coding that was not asked for."""


class BodyReader:
    """What has arrived of a body; `encoding` is its `Content-Encoding`, `cap` the most bytes to keep."""

    def __init__(self, encoding: str, cap: int) -> None:
        self._codings = [name for name in map(str.strip, encoding.lower().split(",")) if name not in ("", "identity")]
        self._cap = cap
        self._pieces: list[bytes] = []
        self._size = 0
        self._packed: _CompressedBody | None = None

    def add(self, piece: bytes) -> None:
        """Take the next bytes off the wire; raises DecompressionError."""
        if not piece:
            return
        room = self._cap + 1 - self._size
        unpacked = piece[:room] if not self._codings else self._unpacking().unpack(piece, room)
        self._pieces.append(unpacked)
        self._size += len(unpacked)

    @property
    def over(self) -> bool:
        """Whether the body is longer than the cap: the rest need not be read."""
        return self._size > self._cap

    @property
    def ended(self) -> bool:
        """Whether the body may end here: what is compressed says itself where it ends."""
        return self._packed is None or self._packed.ended

    @property
    def output(self) -> bytes:
        """The body so far, at most `cap` bytes of it."""
        return b"".join(self._pieces)[: self._cap]

    def _unpacking(self) -> "_CompressedBody":
        if self._packed is None:
            if len(self._codings) > 1 or self._codings[0] not in ("gzip", "x-gzip", "deflate"):
                raise DecompressionError(
                    "the answer comes in a compression that was not asked for: only gzip and deflate are"
                )
            self._packed = _CompressedBody(gzip=self._codings[0] != "deflate")
        return self._packed


class _CompressedBody:
    """A gzip body, of one member or more, or a deflate body, with zlib's wrapping (as it should) or without."""

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._stream = zlib.decompressobj(_GZIP) if gzip else None
        self._head = b""

    @property
    def ended(self) -> bool:
        return self._stream is not None and self._stream.eof

    def unpack(self, data: bytes, room: int) -> bytes:
        """At most `room` bytes of what `data` holds; where they fill it, more may be left. Call it no more then."""
        unpacked = bytearray()
        while data and len(unpacked) < room:
            if self._stream is None:
                data = self._head = self._head + data
                if len(data) < 2:
                    break
                self._stream = zlib.decompressobj(_ZLIB if _has_zlib_header(data) else _DEFLATE)
            elif self._stream.eof:
                data = data.lstrip(b"\0")  # padding
                if not data:
                    break
                if not self._gzip:
                    raise DecompressionError("the answer's body can't be decompressed: it goes on after its end")
                self._stream = zlib.decompressobj(_GZIP)
            try:
                unpacked += self._stream.decompress(data, room - len(unpacked))
            except zlib.error:
                raise DecompressionError("the answer's body can't be decompressed") from None
            data = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
        return bytes(unpacked)


def _has_zlib_header(data: bytes) -> bool:
    """Whether the first two bytes are zlib's (RFC 1950, 2.2)."""
    return data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0
