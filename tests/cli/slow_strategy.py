"""A strategy that takes its time, so that a test can catch a crawl in the middle."""

import time
from collections.abc import Iterable
from dataclasses import dataclass

from pinakes.core.page import Link, Page, Verdict
from pinakes.strategies.breadth_first import BreadthFirst


@dataclass
class Slow(BreadthFirst):
    def visit(self, page: Page, verdict: Verdict) -> Iterable[Link]:
        time.sleep(0.01)
        return super().visit(page, verdict)
