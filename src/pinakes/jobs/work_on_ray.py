"""Workers of a crawl on a Ray cluster: Ray places them, and starts them again elsewhere when a machine is lost.

Whatever becomes of a worker, the crawl's state is in PostgreSQL; so Ray need know nothing of it, and a worker that is
started again simply goes on. Whoever decides is one of them, or the process that began the crawl.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from pinakes.core.errors import PinakesError
from pinakes.jobs.hands import environment
from pinakes.jobs.ray_cluster import join, leave
from pinakes.jobs.work import WorkOptions, WorkResult, work
from pinakes.library.desk import address_of, library_path, name_of


class Hand:
    """A worker on some machine of the cluster."""

    def __init__(self, address: str, options: bytes) -> None:
        # The desk is this machine's own.
        told = msgspec.msgpack.decode(options, type=WorkOptions, dec_hook=lambda kind, value: kind(value))
        self._options = replace(told, library=library_path(address))

    def work(self) -> bytes:
        return msgspec.msgpack.encode(work(self._options))


class RayWorkers:
    """So many workers on a cluster."""

    def __init__(self, on: str, options: WorkOptions, workers: int) -> None:
        address = address_of(options.library)
        if not address:
            raise PinakesError(f"{options.library} is one machine's library; --on is for postgresql://… ones.")
        self._ray, self._joined = join(on)
        self._name = name_of(options.library)
        told = msgspec.msgpack.encode(options, enc_hook=str)
        # A thousandth of a core each: they wait for the web most of the time, and must not keep others from working.
        kind = self._ray.remote(
            num_cpus=0.001,
            max_restarts=-1,
            max_task_retries=-1,
            scheduling_strategy="SPREAD",
            runtime_env={"env_vars": environment()},
        )(Hand)
        self._hands = [kind.remote(address, told) for _ in range(workers)]
        self._results = [hand.work.remote() for hand in self._hands]

    def wait(self) -> WorkResult:
        """What all of them did, once the crawl has ended."""
        started = time.monotonic()
        try:
            told = [msgspec.msgpack.decode(said, type=WorkResult) for said in self._ray.get(self._results)]
        except self._ray.exceptions.RayTaskError as error:
            raise PinakesError(f"A machine of the cluster cannot do it: {str(error.cause).rstrip('.')}.") from None
        pages, decided = sum(one.pages for one in told), sum(one.decided for one in told)
        return WorkResult(self._name, pages, decided, told[0].stopped, time.monotonic() - started)

    def close(self) -> None:
        """End all of them; what they had in hand waits again."""
        for hand in self._hands:
            self._ray.kill(hand)
        if self._joined:
            leave(self._ray)


def work_on_ray(on: str, options: WorkOptions, workers: int) -> WorkResult:
    """Let workers on a cluster bring a crawl's pages home until it ends."""
    crew = RayWorkers(on, options, workers)
    try:
        return crew.wait()
    finally:
        crew.close()


@contextmanager
def helped_by_ray(on: str, library: Path, workers: int, in_flight: int) -> Iterator[Any]:
    """Workers on a cluster for as long as a crawl runs here."""
    if not on:
        yield None
        return
    crew = RayWorkers(on, WorkOptions(library, in_flight, forever=True), workers)
    try:
        yield crew
    finally:
        crew.close()
