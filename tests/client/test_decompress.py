"""Bodies are decompressed piece by piece, never into more than is kept, and not past what was asked for."""

import gzip
import tracemalloc
import zlib
from collections.abc import Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc_tui.client.decompress import BodyReader, DecompressionError

Pack = Callable[[bytes], bytes]


def deflate(data: bytes) -> bytes:
    """Deflate without zlib's wrapping, as some services send it."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def members(data: bytes) -> bytes:
    """Gzip in two members, as a service that packs while it writes sends it."""
    half = len(data) // 2
    return gzip.compress(data[:half], mtime=0) + gzip.compress(data[half:])


def stored(data: bytes) -> bytes:
    """As it is."""
    return data


CODINGS: list[tuple[str, Pack]] = [
    ("", stored),
    ("identity", stored),
    ("gzip", gzip.compress),
    ("GZIP", gzip.compress),
    ("x-gzip", gzip.compress),
    ("gzip", members),
    ("identity, gzip", gzip.compress),
    ("deflate", zlib.compress),
    ("deflate", deflate),
]


def body_of(encoding: str, pieces: Iterable[bytes], cap: int = 1_000_000) -> BodyReader:
    body = BodyReader(encoding, cap)
    for piece in pieces:
        body.add(piece)
    return body


@pytest.mark.parametrize(("encoding", "pack"), CODINGS)
@given(data=st.binary(max_size=300), size=st.integers(1, 40), cap=st.integers(1, 300))
def test_every_coding_comes_back_however_it_is_cut_into_pieces(
    encoding: str, pack: Pack, data: bytes, size: int, cap: int
) -> None:
    packed = pack(data)
    pieces = [packed[at : at + size] for at in range(0, len(packed), size)]
    body = body_of(encoding, pieces)
    assert (body.output, body.over, body.ended) == (data, False, True)
    capped = body_of(encoding, pieces, cap)
    assert (capped.output, capped.over) == (data[:cap], len(data) > cap)


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_bomb_makes_no_more_bytes_than_are_kept(encoding: str) -> None:
    packer = zlib.compressobj(9, wbits=zlib.MAX_WBITS + (16 if encoding == "gzip" else 0))
    bomb = b"".join(packer.compress(bytes(1_000_000)) for _ in range(200)) + packer.flush()
    tracemalloc.start()
    body = BodyReader(encoding, 100_000)
    body.add(bomb)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (body.over, body.output) == (True, bytes(100_000))
    assert most < 2_000_000


@pytest.mark.parametrize("encoding", ["gzip, gzip", "gzip,deflate", "br", "zstd", "compress", "gzip, br"])
def test_a_coding_inside_another_or_not_asked_for_is_not_followed(encoding: str) -> None:
    body = BodyReader(encoding, 1000)
    assert body.ended
    with pytest.raises(DecompressionError, match="unsupported compression"):
        body.add(gzip.compress(gzip.compress(b"x", mtime=0)))


@pytest.mark.parametrize(("encoding", "pack"), CODINGS[2:])
def test_a_body_that_breaks_off_has_not_ended(encoding: str, pack: Pack) -> None:
    packed = pack(b"as long as it takes")
    assert all(not body_of(encoding, [packed[:cut]]).ended for cut in (1, 2, len(packed) // 4, len(packed) - 1))


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("gzip", b"not gzip"),
        ("gzip", gzip.compress(b"x", mtime=0) + b"more"),
        ("gzip", gzip.compress(b"x", mtime=0)[:-8] + bytes(8)),
        ("deflate", zlib.compress(b"x") + b"more"),
        ("deflate", zlib.compress(b"x")[:-1] + b"\0"),
        ("deflate", b"\xff\xff\xff"),
    ],
)
def test_what_is_not_what_it_says_is_told(encoding: str, packed: bytes) -> None:
    with pytest.raises(DecompressionError, match="can't be decompressed"):
        body_of(encoding, [packed])


def test_padding_after_the_end_counts_for_nothing() -> None:
    body = body_of("gzip", [gzip.compress(b"x", mtime=0) + bytes(3), bytes(500)])
    assert (body.output, body.ended) == (b"x", True)
