"""The ledger in memory, for tests of strategies."""

from pinakes.library.memory import MemoryLedger, Visit

__all__ = ["MemoryLedger", "Visit"]
