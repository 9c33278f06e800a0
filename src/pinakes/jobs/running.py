"""Running a crawl from a plain function: event loops, Ctrl-C, and notebooks that have a loop already."""

from __future__ import annotations

import asyncio
import gc
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from pinakes.web.loop import run as run_loop

T = TypeVar("T")

_SELDOM = 20_000
"""Objects made between two searches for circles of garbage. A crawl makes hardly any, but many objects that stay, which
every search goes over again."""


def run(work: Coroutine[Any, Any, T]) -> T:
    """The coroutine's result, also where an event loop is running (a notebook): then on a thread of its own."""
    with _seldom_collected():
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return run_loop(work)
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(run_loop, work).result()


@contextmanager
def _seldom_collected() -> Iterator[None]:
    before = gc.get_threshold()
    if before[0]:  # else someone has switched it off
        gc.set_threshold(max(_SELDOM, before[0]), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def on_interrupt(act: Callable[[], None]) -> Iterator[None]:
    """Let the first Ctrl-C or SIGTERM `act`; a second one ends the process as usual."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def handle(number: int, frame: object) -> None:
        signal.signal(number, before[signal.Signals(number)])
        act()

    for number in before:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
