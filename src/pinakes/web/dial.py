"""Getting through to a host: of its addresses, the first that answers."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence

from pinakes.web.resolve import Address

_STAGGER = 0.25
"""Seconds after which a slow address has the next one tried beside it (RFC 8305 §5)."""
_MOST = 6


async def dial(addresses: Sequence[Address], make: Callable[[Address], socket.socket]) -> socket.socket:
    """A connected socket. `make` makes one for an address, or refuses it. Raises what the first address raised."""
    ahead = in_turns(addresses)[:_MOST]
    under_way: set[asyncio.Task[socket.socket]] = set()
    trouble: BaseException | None = None
    try:
        while ahead or under_way:
            if ahead:
                under_way.add(asyncio.create_task(_connected(ahead.pop(0), make)))
            done, under_way = await asyncio.wait(
                under_way, timeout=_STAGGER if ahead else None, return_when=asyncio.FIRST_COMPLETED
            )
            through = [task.result() for task in done if task.exception() is None]
            for spare in through[1:]:
                spare.close()
            if through:
                return through[0]
            trouble = trouble or next((task.exception() for task in done), None)
    finally:
        for task in under_way:
            task.cancel()
        for late in await asyncio.gather(*under_way, return_exceptions=True):
            if isinstance(late, socket.socket):
                late.close()
    raise trouble or OSError("no address")


def in_turns(addresses: Sequence[Address]) -> list[Address]:
    """The families take turns, so that one that leads nowhere from here costs a moment only."""
    first = [address for address in addresses if address.family == addresses[0].family]
    other = [address for address in addresses if address.family != addresses[0].family]
    mixed = [address for pair in zip(first, other, strict=False) for address in pair]
    return mixed + first[len(other) :] + other[len(first) :]


async def _connected(address: Address, make: Callable[[Address], socket.socket]) -> socket.socket:
    made = make(address)
    try:
        made.setblocking(False)
        await asyncio.get_running_loop().sock_connect(made, (address.ip, address.port))
    except BaseException:
        made.close()
        raise
    return made
