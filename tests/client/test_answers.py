"""What the client makes of answers: errors of every shape and code, pages, records, bodies that make no sense."""

import gzip
import json
import pickle
import traceback
import zlib

import pytest

from svc_tui.core.catalog import COLLECTIONS
from svc_tui.core.jsontext import Number
from svc_tui.core.requests import RequestSpec
from svc_tui.service import errors
from tests.client.raw_service import KEYS, Connect, RawService, reply
from tests.direct_requests import create, update

LOTS = COLLECTIONS[0]
READ = RequestSpec("GET", "/v1/operations/lots/L-1")

CODES = [
    (401, "api_key_missing", errors.ApiKeyMissing),
    (401, "api_key_invalid", errors.ApiKeyInvalid),
    (401, "api_key_revoked", errors.ApiKeyRevoked),
    (401, "api_key_expired", errors.ApiKeyExpired),
    (401, "signature_missing", errors.SignatureMissing),
    (401, "timestamp_stale", errors.TimestampStale),
    (401, "signature_mismatch", errors.SignatureMismatch),
    (403, "insufficient_scope", errors.InsufficientScope),
    (403, "ip_not_allowed", errors.IpNotAllowed),
    (404, "lot_not_found", errors.NotFound),
    (409, "conflict", errors.Conflict),
    (422, "validation_failed", errors.StatusError),
    (501, "not_implemented", errors.ServerFault),
]


@pytest.mark.parametrize(("status", "code", "kind"), CODES)
async def test_every_code_has_its_class(
    service: RawService, connect: Connect, status: int, code: str, kind: type[errors.StatusError]
) -> None:
    service.rest = reply(status, json.dumps({"error": {"code": code, "message": "why"}}), ("X-Request-Id", "r-1"))
    async with connect() as client:
        exchange = await client.send(READ)
        with pytest.raises(errors.StatusError) as raised:
            await update(client, LOTS, "L-1", {"note": "x"}, idempotency_key="k-1")
    assert exchange.answer.status == status
    failure = raised.value
    assert type(failure) is kind
    assert (failure.code, failure.status, failure.request_id) == (code, status, "r-1")
    assert (failure.idempotency_key, failure.attempts) == ("k-1", 1)
    assert failure.sent is (errors.SendResult.UNKNOWN if status >= 500 else errors.SendResult.REFUSED)
    assert f"({code})" in str(failure)
    assert str(pickle.loads(pickle.dumps(failure))) == str(failure)


async def test_a_scope_error_names_the_method(service: RawService, connect: Connect) -> None:
    service.rest = reply(403, '{"code": "insufficient_scope"}')
    async with connect() as client:
        with pytest.raises(errors.InsufficientScope, match=r"does not have the scope for PATCH \(insufficient_scope\)"):
            await update(client, LOTS, "L-1", {})


async def test_a_secret_that_the_service_repeats_is_masked(service: RawService, connect: Connect) -> None:
    secret = KEYS.signing_secret or ""
    service.rest = reply(401, json.dumps({"code": "odd", "message": f"bad {KEYS.api_key} and {secret}!"}))
    async with connect() as client:
        with pytest.raises(errors.StatusError) as raised:
            await client.record(LOTS, "L-1")
    assert "bad … and …!" in str(raised.value)
    assert not any(text in repr(raised.value.args) + str(raised.value) for text in KEYS.secrets)


@pytest.mark.parametrize("location", ["https://user:word@evil.example/v1/operations/lots", "/v1/elsewhere"])
@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_redirects_are_not_followed(service: RawService, connect: Connect, status: int, location: str) -> None:
    service.rest = reply(status, "", ("Location", location))
    async with connect() as client:
        with pytest.raises(errors.Redirected) as raised:
            await client.record(LOTS, "L-1")
    assert len(service.received) == 1
    assert raised.value.sent is errors.SendResult.REFUSED
    assert location.replace("user:word", "…") in str(raised.value)
    assert "word" not in str(raised.value)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_write_that_is_redirected_may_have_been_done(
    service: RawService, connect: Connect, status: int
) -> None:
    service.rest = reply(status, "", ("Location", "/v1/operations/lots/L-1"))
    async with connect(idempotency="honoured") as client:
        with pytest.raises(errors.Redirected) as raised:
            await create(client, LOTS, {}, idempotency_key="k-1")
    assert (raised.value.sent, raised.value.idempotency_key) == (errors.SendResult.UNKNOWN, "k-1")
    assert len(service.received) == 1


@pytest.mark.parametrize(
    "body",
    [b"", b"nope", b"<html>", b"[]", b'"x"', b"null", b'{"a":1,"a":2}', b"\xff", b'{"a": NaN}', b"[" * 200_000],
    ids=lambda body: repr(body[:8]),
)
async def test_a_success_that_makes_no_sense_leaves_open_whether_it_was_done(
    service: RawService, connect: Connect, body: bytes
) -> None:
    service.rest = reply(200, body)
    async with connect() as client:
        with pytest.raises(errors.BadAnswer) as raised:
            await create(client, LOTS, {}, idempotency_key="k")
    assert raised.value.sent is errors.SendResult.UNKNOWN
    assert (raised.value.status, raised.value.idempotency_key) == (200, "k")
    assert len(service.received) == 1


async def test_a_name_that_stands_twice_is_kept_in_what_is_read_and_refused_in_a_list_itself(
    service: RawService, connect: Connect
) -> None:
    service.rest = reply(200, b'{"id":"x","a":1,"a":2}')
    async with connect() as client:
        assert (await client.record(LOTS, "x")).repeated == ("a",)
        service.rest = reply(200, b'{"items":[],"items":[{"id":"x"}]}')
        with pytest.raises(errors.BadAnswer, match="an object that has the same property more than once"):
            await client.page(LOTS, 1, 50)


async def test_a_web_page_in_place_of_a_record_points_to_the_base_url(service: RawService, connect: Connect) -> None:
    service.rest = reply(200, " \n<!DOCTYPE html><title>Sign in</title>", ("Content-Type", "application/json"))
    async with connect() as client:
        with pytest.raises(
            errors.BadAnswer,
            match=r"a web page \(“Sign in”\) instead of JSON; it may come from a gateway. Check the base",
        ):
            await client.record(LOTS, "L-1")


@pytest.mark.parametrize("kind", ["application/json", "text/html", "text/plain; charset=latin-1", "x", ""])
async def test_json_is_read_whatever_the_content_type_says_and_after_a_byte_order_mark(
    service: RawService, connect: Connect, kind: str
) -> None:
    service.rest = reply(200, '\ufeff{"id": "L-1", "note": "Łódź"}', ("Content-Type", kind))
    async with connect() as client:
        record = await client.record(LOTS, "L-1")
    assert record.fields == {"id": "L-1", "note": "Łódź"}


@pytest.mark.parametrize(
    "digits",
    ["1.50", "-0.0", "1E+400", "12345678901234567890.10", "9" * 5000, "1e-99999999999"],
    ids=lambda digits: digits[:24],
)
async def test_numbers_keep_every_digit_both_ways(service: RawService, connect: Connect, digits: str) -> None:
    service.rest = reply(200, f'{{"id": {digits}, "deep": [{{"n": {digits}}}]}}')
    async with connect() as client:
        record = await client.record(LOTS, "L-1")
        again = await update(client, LOTS, "L-1", record.fields)
    assert service.received[-1].body.decode() == f'{{"id":{digits},"deep":[{{"n":{digits}}}]}}'
    assert record.id == digits
    assert again == record


@pytest.mark.parametrize("body", ["{}", '{"items": {}}', '{"items": [1]}', '"x"', '{"items": "x"}', "null", "7"])
async def test_a_list_without_records_is_a_bad_answer(service: RawService, connect: Connect, body: str) -> None:
    service.rest = reply(200, body)
    async with connect() as client:
        with pytest.raises(errors.BadAnswer, match="without a list of records"):
            await client.page(LOTS, 1, 50)


async def test_a_body_is_capped_after_decompression(service: RawService, connect: Connect) -> None:
    packed = gzip.compress(b"[" + b" " * 30_000_000 + b"]")
    service.rest = reply(200, packed, ("Content-Encoding", "gzip"))
    async with connect() as client:
        exchange = await client.send(READ)
        assert (exchange.answer.capped, len(exchange.answer.body)) == (True, 10_000_000)
        with pytest.raises(errors.BadAnswer, match="larger than 10 MB"):
            await client.page(LOTS, 1, 50)
        exchange = await client.watched(READ, lambda stage: None)
    assert (exchange.answer.capped, len(exchange.answer.body)) == (False, 30_000_002)


@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
async def test_compressed_answers_are_read(service: RawService, connect: Connect, name: str, pack: object) -> None:
    assert callable(pack)
    service.rest = reply(200, pack(b'{"n": 1.50}'), ("Content-Encoding", name), ("ETag", '"7"'))
    async with connect() as client:
        record = await client.record(LOTS, "L-1")
    assert (record.fields, record.etag) == ({"n": Number("1.50")}, '"7"')


async def test_a_broken_compression_of_a_success_was_done_and_of_an_error_is_still_that_error(
    service: RawService, connect: Connect
) -> None:
    service.script = [
        reply(200, b"not gzip", ("Content-Encoding", "gzip")),
        reply(404, b"not gzip", ("Content-Encoding", "gzip")),
    ]
    async with connect() as client:
        with pytest.raises(errors.BadAnswer, match="decompressed") as raised:
            await create(client, LOTS, {})
        with pytest.raises(errors.NotFound):
            await client.record(LOTS, "L-1")
    assert raised.value.sent is errors.SendResult.UNKNOWN


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br"])
async def test_a_compression_that_was_not_asked_for_is_not_followed(
    service: RawService, connect: Connect, encoding: str
) -> None:
    body = gzip.compress(gzip.compress(b'{"code": "lot_not_found"}'))
    service.script = [reply(status, body, ("Content-Encoding", encoding)) for status in (200, 404)]
    async with connect() as client:
        with pytest.raises(errors.BadAnswer, match="unsupported compression") as raised:
            await create(client, LOTS, {})
        with pytest.raises(errors.NotFound) as missing:
            await client.record(LOTS, "L-1")
    assert raised.value.sent is errors.SendResult.UNKNOWN
    assert missing.value.exchange is not None
    assert (missing.value.exchange.answer.body, missing.value.exchange.answer.capped) == (b"", True)
    assert str(missing.value) == "the service returned 404 No"


async def test_two_headers_name_two_compressions(service: RawService, connect: Connect) -> None:
    both = (("Content-Encoding", "gzip"), ("Content-Encoding", "gzip"))
    service.rest = reply(200, gzip.compress(gzip.compress(b"{}")), *both)
    async with connect() as client:
        with pytest.raises(errors.BadAnswer, match="unsupported compression"):
            await client.record(LOTS, "L-1")


async def test_a_compressed_body_that_breaks_off_was_done_and_is_read_again_where_that_is_harmless(
    service: RawService, connect: Connect
) -> None:
    half = reply(200, gzip.compress(b'{"id": "L-1"}')[:-9], ("Content-Encoding", "gzip"))
    service.script = [half, half]
    service.rest = reply(200, '{"id": "L-1"}')
    async with connect() as client:
        with pytest.raises(errors.ConnectionBroken, match="was lost after 13 bytes") as raised:
            await create(client, LOTS, {})
        record = await client.record(LOTS, "L-1")
    assert (raised.value.sent, raised.value.attempts) == (errors.SendResult.DONE, 1)
    assert (record.id, len(service.received)) == ("L-1", 3)


async def test_an_answer_to_head_has_no_body_to_decompress(service: RawService, connect: Connect) -> None:
    service.rest = reply(200, b"", ("Content-Encoding", "gzip"))
    async with connect() as client:
        exchange = await client.send(RequestSpec("HEAD", "/v1/operations/lots"))
    assert (exchange.answer.body, exchange.answer.capped) == (b"", False)


async def test_the_answer_is_kept_as_it_came(service: RawService, connect: Connect) -> None:
    service.rest = reply(418, b"\x00\xff", ("X-A", "1"), ("x-a", "2"))
    async with connect() as client:
        exchange = await client.send(READ)
    answer = exchange.answer
    assert (answer.status, answer.reason, answer.body, answer.capped) == (418, "No", b"\x00\xff", False)
    assert [value for name, value in answer.headers if name.lower() == "x-a"] == ["1", "2"]
    assert exchange.attempts == 1
    assert exchange.received.tzinfo is not None


async def test_nothing_of_the_key_is_in_any_traceback(service: RawService, connect: Connect) -> None:
    service.script = [reply(200, "{", length=50), reply(401, '{"code": "signature_mismatch"}'), reply(200, b"\xff")]
    async with connect() as client:
        for _ in range(3):
            with pytest.raises(errors.ServiceError) as raised:
                await create(client, LOTS, {})
            text = "".join(traceback.format_exception(raised.value))
            assert not any(secret in text for secret in KEYS.secrets)
            assert raised.value.__cause__ is None
