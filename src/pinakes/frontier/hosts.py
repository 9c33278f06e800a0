"""How many links wait on each host, for a frontier that keeps no queue a host.

Nobody asks in most crawls, so counting begins with the first question; from then on it is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pinakes.core.page import host_of


class HostCount:
    """Counts the hosts of waiting links; `waiting` answers the addresses of all that wait."""

    def __init__(self, waiting: Callable[[], Iterable[str]]) -> None:
        self._waiting = waiting
        self._links: dict[str, int] | None = None

    def others(self, host: str) -> bool:
        """Does a link wait on some other host?"""
        if self._links is None:
            self._links = {}
            for url in self._waiting():
                self.add(url)
        return len(self._links) > (host in self._links)

    def add(self, url: str) -> None:
        if self._links is not None:
            host = host_of(url)
            self._links[host] = self._links.get(host, 0) + 1

    def remove(self, url: str) -> None:
        if self._links is not None:
            host = host_of(url)
            self._links[host] -= 1
            if not self._links[host]:
                del self._links[host]
