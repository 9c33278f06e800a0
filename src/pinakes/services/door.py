"""The one way out to services: guarded, and with whoever asks named in every request."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Collection
from pathlib import Path

from pinakes import __version__
from pinakes.core.errors import PinakesError
from pinakes.formats.encodings import ACCEPTED
from pinakes.services.client import Opener, Service, ServiceClient
from pinakes.web.client import Client, Timeouts
from pinakes.web.guard import split
from pinakes.web.http import HOME
from pinakes.web.resolve import Resolver, routes

_contact = re.compile(r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)*", re.ASCII).fullmatch


class Services:
    """One guarded connection for all, and one client a service."""

    def __init__(
        self,
        contact: str,
        *,
        proxy: str = "",
        allow_private: bool = False,
        resolve: Collection[str] = (),
        ca: Path | None = None,
        timeouts: Timeouts | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`allow_private` lets services stand on addresses that are not public, such as this machine's own; `resolve`
        and `ca` as for the live web."""
        if contact and not _contact(contact):
            raise PinakesError(
                f"The contact {contact[:100]} is not a mail address; services want to know whom to write to, so give"
                " one like you@example.org."
            )
        if not contact:
            raise PinakesError(
                'Services want to know whom to write to; put contact = "you@example.org" into pinakes.toml.'
            )
        self._headers = {
            "User-Agent": f"Pinakes/{__version__} (+{HOME}; mailto:{contact})",
            "From": contact,
            "Accept": "application/json, application/xml;q=0.9, text/xml;q=0.9",
            "Accept-Encoding": ACCEPTED,
        }
        self._proxy, self._allow_private, self._ca = proxy, allow_private, ca
        self._routes, self._timeouts = routes(resolve), timeouts or Timeouts(head=30.0, read=30.0)
        self._clock, self._sleep = clock, sleep
        self._clients: dict[tuple[str, str], ServiceClient] = {}
        self._opened: Client | None = None

    def client(self, service: Service) -> ServiceClient:
        """The client of a service, the same for everyone who asks for it."""
        key = service.name, service.url
        if key not in self._clients:
            self._clients[key] = ServiceClient(service, self._opener, clock=self._clock, sleep=self._sleep)
        return self._clients[key]

    @property
    def calls(self) -> dict[str, int]:
        """How many requests each service has had."""
        counts: dict[str, int] = {}
        for client in self._clients.values():
            counts[client.service.name] = counts.get(client.service.name, 0) + client.calls
        return counts

    async def close(self) -> None:
        if self._opened is not None:
            await self._opened.close()

    def _opener(self) -> Opener:
        """The connection, made when first needed, for it belongs to the running event loop."""
        if self._opened is None:
            trusted = [split(self._proxy)[1].rpartition("@")[2]] if self._proxy else []
            self._opened = Client(
                self._headers,
                Resolver(allow_private=self._allow_private, routes=self._routes, trusted=trusted),
                timeouts=self._timeouts,
                allow_private=self._allow_private,
                ca=self._ca,
                proxy=self._proxy,
            )
        return self._opened
