"""Names to addresses: looked up once, checked, and exactly those dialled.

There is no second lookup between the check and the connection, so a name that changes its address in between (DNS
rebinding) gains nothing; and every socket is checked once more at the moment it is made.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from pinakes.core.errors import PinakesError
from pinakes.web.guard import parsed, public

_TTL = 300.0
_TTL_FAILED = 60.0
_REMEMBERED = 10_000
_THREADS = 16


class RefusedError(OSError):
    """The name has addresses, none of which may be dialled."""


class NoAddressError(OSError):
    """The name has no address. `temporary` when that may change soon."""

    def __init__(self, host: str, temporary: bool) -> None:
        super().__init__(f"{host} has no address")
        self.temporary = temporary


class Route(NamedTuple):
    """Where connections to a host are sent instead; port 0 keeps the port."""

    ip: str
    port: int


class Address(NamedTuple):
    """What can be dialled."""

    ip: str
    port: int

    @property
    def family(self) -> socket.AddressFamily:
        return socket.AF_INET6 if ":" in self.ip else socket.AF_INET


Lookup = Callable[[str], Sequence[str]]
"""The addresses of a name; raises `OSError` when there are none."""


def system_lookup(host: str) -> Sequence[str]:
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


def routes(given: Iterable[str]) -> dict[str, Route]:
    """Read `host=ip:port`; the host may be `*` and may name the port it is for: `*:443=127.0.0.1:8443`."""
    table: dict[str, Route] = {}
    for text in given:
        name, _, target = text.partition("=")
        ip, colon, port = target.rpartition(":") if not target.endswith("]") else (target, "", "")
        if not colon or (":" in ip and not ip.startswith("[")):
            ip, port = target, ""
        ip = ip.strip("[]")
        number = int(port) if port.isdecimal() else 0
        if not name or parsed(ip) is None or number > 65535 or (port and not number):
            raise PinakesError(f"--resolve {text} is not of the form HOST=IP:PORT, such as '*=127.0.0.1:8000'.")
        table[name.lower()] = Route(ip, number)
    return table


class Resolver:
    """What the client asks for addresses. `routes` and `trusted` hosts (a proxy's) were named by the person running us
    and may be anywhere; all others must be public unless `allow_private`."""

    def __init__(
        self,
        *,
        allow_private: bool = False,
        routes: dict[str, Route] | None = None,
        trusted: Iterable[str] = (),
        lookup: Lookup = system_lookup,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._allow_private, self._routes, self._trusted = allow_private, routes or {}, frozenset(trusted)
        self._lookup, self._clock = lookup, clock
        self._known: OrderedDict[str, tuple[float, Sequence[str] | OSError]] = OrderedDict()
        self._exempt = {*self._routes.values(), *(Route(host, 0) for host in self._trusted if parsed(host))}
        self._pool = ThreadPoolExecutor(_THREADS, "pinakes-dns")

    async def resolve(self, host: str, port: int) -> list[Address]:
        host = host.lower()
        if host not in self._trusted and (route := self._route(host, port)) is not None:
            return [Address(route.ip, route.port or port)]
        addresses = await self._addresses(host)
        if host in self._trusted:
            self._exempt.update(Route(address, 0) for address in addresses)
        elif not self._allow_private:
            addresses = [address for address in addresses if public(address)]
        if not addresses:
            raise RefusedError(f"{host} is not on the public internet")
        return [Address(address, port) for address in addresses]

    def socket(self, address: Address) -> socket.socket:
        """Make the socket for an address about to be dialled, if it may be."""
        ip, port = address
        if Route(ip, port) not in self._exempt and Route(ip, 0) not in self._exempt:
            if not self._allow_private and not public(ip):
                raise RefusedError(f"{ip} is not on the public internet")
            if "*" in self._routes:  # a web of its own: a bare address must not lead out of it
                raise RefusedError(f"{ip} has no route")
        return socket.socket(address.family, socket.SOCK_STREAM)

    async def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _route(self, host: str, port: int) -> Route | None:
        for name in (f"{host}:{port}", host, f"*:{port}", "*"):
            if name in self._routes:
                return self._routes[name]
        return None

    async def _addresses(self, host: str) -> Sequence[str]:
        until, found = self._known.get(host, (0.0, ()))
        now = self._clock()
        if until <= now:
            found = await self._look_up(host)
            ttl = _TTL_FAILED if isinstance(found, OSError) else _TTL
            self._known[host] = now + ttl, found
            self._known.move_to_end(host)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        if isinstance(found, OSError):
            raise found
        return found

    async def _look_up(self, host: str) -> Sequence[str] | OSError:
        try:
            found = await asyncio.get_running_loop().run_in_executor(self._pool, self._lookup, host)
        except (OSError, UnicodeError) as error:
            temporary = isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN
            return NoAddressError(host, temporary)
        return [address for address in found if parsed(address)] or NoAddressError(host, False)
