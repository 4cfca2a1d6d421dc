"""What colleagues share: approvals, notes, shared items, presence."""
