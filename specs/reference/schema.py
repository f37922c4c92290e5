"""The tables of the durable store, and the version that says which program wrote them."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Boolean, CheckConstraint, Column, ForeignKey, Integer, MetaData, String, Table

#: Written into a new database; one with another number is refused, because nothing here migrates it.
VERSION: Final = 1

METADATA: Final = MetaData()

VERSIONS: Final = Table("fenceproof_schema", METADATA, Column("version", Integer, nullable=False))

#: A call: its fence, and what was committed under which epoch.
CALLS: Final = Table(
    "fenceproof_calls",
    METADATA,
    Column("call", Integer, primary_key=True, autoincrement=False),
    Column("live", Integer, nullable=False),
    Column("committed", Integer),
    Column("outcome", String(16)),
    CheckConstraint("(committed IS NULL) = (outcome IS NULL)", name="committed_has_outcome"),
)

#: The one intent of a call that the dispatcher sends until it is answered, replaced or parked.
OUTBOX: Final = Table(
    "fenceproof_outbox",
    METADATA,
    Column("call", Integer, ForeignKey(CALLS.c.call), primary_key=True, autoincrement=False),
    Column("epoch", Integer, nullable=False),
    Column("pending", Boolean, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("parked", Boolean, nullable=False),
)
