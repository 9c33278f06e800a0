"""Search engines by the kind `pinakes.toml` gives them."""

from __future__ import annotations

from typing import Protocol

from pinakes.core.errors import PinakesError
from pinakes.core.roles import Search
from pinakes.services.client import Service
from pinakes.services.door import Services
from pinakes.services.search.brave import Brave
from pinakes.services.search.endpoint import Endpoint, split_template
from pinakes.services.search.marginalia import Marginalia
from pinakes.services.search.mojeek import Mojeek
from pinakes.services.search.searxng import SearXNG

KINDS = ("searxng", "brave", "marginalia", "mojeek", "json")


class Settings(Protocol):
    """A section `[search.NAME]` of the configuration."""

    @property
    def kind(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def results(self) -> str: ...
    @property
    def address(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def snippet(self) -> str: ...
    @property
    def key_header(self) -> str: ...
    @property
    def key_parameter(self) -> str: ...

    def key(self) -> str: ...


def search_engine(name: str, settings: Settings, services: Services) -> Search:
    """The engine of a section; its key is read here, and stays in its client."""
    kind, url, key = settings.kind, settings.url, settings.key()
    if kind not in KINDS:
        raise PinakesError(f"[search.{name}] has kind = '{kind}'; the kinds are {', '.join(KINDS)}.")
    if kind in ("searxng", "json") and not url:
        raise PinakesError(f"[search.{name}] has no url; give the address of the search engine.")
    if kind in ("brave", "mojeek") and not key:
        raise PinakesError(f"[search.{name}] needs a key; name the environment variable that holds it as key_env.")
    if kind == "searxng":
        return SearXNG(services.client(Service(SearXNG.name, url.removesuffix("/").removesuffix("/search"), gap=1.0)))
    if kind == "brave":
        where = url or "https://api.search.brave.com"
        return Brave(services.client(Service(Brave.name, where, headers={"X-Subscription-Token": key}, gap=1.1)))
    if kind == "marginalia":
        # Without a key of one's own one shares the public one, and its pace, with everybody else.
        service = Service(
            Marginalia.name,
            url or "https://api2.marginalia-search.com",
            headers={"API-Key": key or "public"},
            gap=1.0 if key else 5.0,
        )
        return Marginalia(services.client(service))
    if kind == "mojeek":
        where = url or "https://api.mojeek.com"
        return Mojeek(services.client(Service(Mojeek.name, where, query={"api_key": key}, gap=1.0)))
    base, template = split_template(url)
    service = Service(
        f"The search engine '{name}'",
        base,
        headers={settings.key_header: key} if key and settings.key_header else {},
        query={settings.key_parameter: key} if key and settings.key_parameter else {},
        gap=1.0,
    )
    return Endpoint(
        services.client(service),
        template,
        results=settings.results,
        address=settings.address,
        title=settings.title,
        snippet=settings.snippet,
    )
