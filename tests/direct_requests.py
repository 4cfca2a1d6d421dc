"""Requests that a test makes straight through the client, past the pipeline that writes take in the program."""

from collections.abc import Mapping

from svc_tui.client.client import SignedClient
from svc_tui.client.decode import check_answer, decode_record
from svc_tui.core.catalog import VERIFY, Collection
from svc_tui.core.jsontext import Json, encode_json
from svc_tui.core.records import Record
from svc_tui.core.requests import Exchange, RequestSpec
from svc_tui.service.errors import failure_of
from svc_tui.service.routes import encode_segment, record_path


async def succeed(client: SignedClient, spec: RequestSpec) -> Exchange:
    """Send the request; raises what an error answer means."""
    exchange = await client.send(spec)
    if (failure := failure_of(exchange, client.secrets)) is not None:
        raise failure
    return exchange


async def create(
    client: SignedClient, collection: Collection, fields: Mapping[str, Json], *, idempotency_key: str = ""
) -> Record:
    """Make a record with these fields; gives it as the service made it."""
    exchange = await _write(client, "POST", collection.path, fields, idempotency_key)
    return check_answer(decode_record(exchange, client.secrets))


async def update(
    client: SignedClient,
    collection: Collection,
    record_id: str,
    patch: Mapping[str, Json],
    *,
    idempotency_key: str = "",
) -> Record:
    """Set the fields of `patch`; gives the record after that."""
    exchange = await _write(client, "PATCH", record_path(collection, record_id), patch, idempotency_key)
    return check_answer(decode_record(exchange, client.secrets))


async def remove(client: SignedClient, collection: Collection, record_id: str) -> None:
    """Delete the record."""
    await _write(client, "DELETE", record_path(collection, record_id), None, "")


async def action(
    client: SignedClient, collection: Collection, record_id: str, name: str, fields: Mapping[str, Json]
) -> Exchange:
    """Do an action on one record, such as the split of a lot."""
    return await _write(client, "POST", f"{record_path(collection, record_id)}/{encode_segment(name)}", fields, "")


async def verify(client: SignedClient, tunnel_id: str) -> Exchange:
    """Verify the hash chain of a tunnel."""
    return await succeed(client, RequestSpec("GET", VERIFY.path, (("tunnelId", tunnel_id),)))


async def _write(client: SignedClient, method: str, path: str, fields: Mapping[str, Json] | None, key: str) -> Exchange:
    body = b"" if fields is None else encode_json(fields)
    return await succeed(client, RequestSpec(method, path, body=body, idempotency_key=key))
