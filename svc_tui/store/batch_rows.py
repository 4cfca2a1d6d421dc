"""How the plans of batches are written in rows, and read back."""

from svc_tui.domain.editing.batch import BatchChange, BatchPlan
from svc_tui.store.dataclass_codec import DataclassCodec, sequence_of

_UNREADABLE = "the store holds a batch that can't be read; move its database away"
_CHANGE = DataclassCodec(BatchChange, _UNREADABLE, names={"record_id": "id"})
BATCH_PLAN = DataclassCodec(
    BatchPlan,
    _UNREADABLE,
    names={"collection": "place"},
    conversions={"changes": sequence_of(_CHANGE.as_conversion)},
    beside=("id",),
)
"""A plan, without the batch's id, which its row has."""
