"""Live progress on a terminal; nothing where the output is a file or a pipe."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Self

from rich.columns import Columns
from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.text import Text

from pinakes.core.roles import Progress

REFRESH = 0.2


class CrawlProgress:
    """Pages, pages a second, harvest rate, frontier and the time left, as they change."""

    def __init__(self, pages: int | None) -> None:
        self._budget = pages
        self._live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
        self._shown = sys.stderr is not None and sys.stderr.isatty()
        self._drawn_at = 0.0
        self._recent: deque[tuple[float, int]] = deque(maxlen=50)

    def __enter__(self) -> Self:
        if self._shown:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._shown:
            self._live.stop()

    def watch(self, progress: Progress) -> None:
        now = time.monotonic()
        if not self._shown or now - self._drawn_at < REFRESH:
            return
        self._drawn_at = now
        self._recent.append((now, progress.pages))
        self._live.update(self._drawing(progress), refresh=True)

    def indexing(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if self._shown and (now - self._drawn_at >= REFRESH or done == total):
            self._drawn_at = now
            self._live.update(Text(f"Indexing the web, once: {stage}, {done:,} of {total:,}"), refresh=True)

    def stage(self, name: str, done: int, total: int) -> None:
        """What goes on before or after the crawl, counted."""
        now = time.monotonic()
        if self._shown and (now - self._drawn_at >= REFRESH or done == total):
            self._drawn_at = now
            bar = ProgressBar(total=max(1, total), completed=done, width=20)
            self._live.update(Columns([bar, Text(f"{done:,}/{total:,} {name}")]), refresh=True)

    def stage_of(self, name: str) -> Callable[[int, int], None]:
        """What counts one stage."""
        return lambda done, of: self.stage(name, done, of)

    def budget(self, pages: int | None) -> None:
        """How many pages there will be, where it is known only later."""
        self._budget = pages

    def tell(self, sentence: str) -> None:
        """Something worth knowing, said above the progress."""
        self._live.console.print(Text(f"pinakes: {sentence}"), soft_wrap=True)

    def say(self, line: str) -> None:
        """A line of the output itself, above the progress."""
        if self._shown and sys.stdout.isatty():
            self._live.console.print(Text(line), soft_wrap=True)
        else:
            print(line)

    def _drawing(self, progress: Progress) -> Group:
        (begin, before), (end, pages) = self._recent[0], self._recent[-1]
        rate = (pages - before) / (end - begin) if end > begin else 0.0
        left = (self._budget - pages) / rate if self._budget and rate else None
        share = f"{pages:,}" + (f"/{self._budget:,}" if self._budget else "")
        facts = [
            f"{share} pages",
            f"{rate:.0f}/s",
            f"harvest rate {progress.harvest_rate:.2f}",
            f"frontier {progress.waiting:,}",
            *([f"{left // 60:.0f}:{left % 60:02.0f} left"] if left is not None else []),
        ]
        bar = ProgressBar(total=self._budget, completed=pages, width=20) if self._budget else Text("")
        line = Text(" · ".join(facts), overflow="ellipsis", no_wrap=True)
        last = Text(progress.last, style="dim", overflow="ellipsis", no_wrap=True)
        return Group(Columns([bar, line]), last)


class StageProgress:
    """A bar for each stage of a job whose pieces can be counted."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._shown = sys.stderr is not None and sys.stderr.isatty()
        self._stage, self._begun, self._before = "", 0.0, 0

    def __enter__(self) -> Self:
        if self._shown:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._shown:
            self._live.stop()

    def watch(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if stage != self._stage:
            self._stage, self._begun, self._before = stage, now, done
        if not self._shown:
            return
        rate = (done - self._before) / (now - self._begun) if now > self._begun else 0.0
        left = (total - done) / rate if rate else None
        facts = [f"{done:,}/{total:,} {stage}"]
        if left is not None:
            facts.append(f"{left // 60:.0f}:{left % 60:02.0f} left")
        bar = ProgressBar(total=max(1, total), completed=done, width=20)
        self._live.update(Columns([bar, Text(" · ".join(facts))]), refresh=True)

    def indexing(self, stage: str, done: int, total: int) -> None:
        self.watch(f"pages indexed once ({stage})", done, total)

    def tell(self, sentence: str) -> None:
        """Something worth knowing, said above the progress."""
        self._console.print(Text(f"pinakes: {sentence}"), soft_wrap=True)
