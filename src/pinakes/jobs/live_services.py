"""Services as a live job asks them: with its contact, proxy and addresses, opened for a while and closed after."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pinakes.services.door import Services
from pinakes.web.http import LiveOptions


@asynccontextmanager
async def services_for(live: LiveOptions, local: bool = False) -> AsyncIterator[Services]:
    """The way out to services; `local` ones stand on this machine."""
    services = Services(
        live.contact,
        proxy="" if local else live.proxy,
        allow_private=live.allow_private or local,
        resolve=live.resolve,
        ca=live.ca,
    )
    try:
        yield services
    finally:
        await services.close()
