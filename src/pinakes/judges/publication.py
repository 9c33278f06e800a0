"""Is this document an academic publication?

003 §4.2 sorts the PDF and PostScript documents that a crawl found, by hand, into academic publications ("papers
published in conferences and journals; technical reports; degree thesis") and noise ("course material; presentation
slides; project schedule"). This judge does it by what such documents look like: each sign found adds to the
log-odds. The signs and their weights are set by hand.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log
from typing import NamedTuple

from pinakes.core.page import Brief, Page, Verdict
from pinakes.core.parameters import parameter

DOCUMENTS = frozenset({"application/pdf", "application/postscript"})
OPENING = 4_000
"""Characters in which a title page, an abstract or the name of a course stands."""
MOST_TEXT = 400_000
START = -2.5
"""Log-odds of a document without any sign."""


class Sign(NamedTuple):
    weight: float
    name: str
    seen: Callable[[str, str], bool]
    """Told the opening and the whole text, both in lower case."""


def _in_opening(pattern: str) -> Callable[[str, str], bool]:
    search = re.compile(pattern).search
    return lambda opening, text: search(opening) is not None


def _anywhere(pattern: str, least: int = 1) -> Callable[[str, str], bool]:
    found = re.compile(pattern).finditer
    return lambda opening, text: any(count >= least for count, _ in enumerate(found(text), 1))


SIGNS = (
    Sign(2.0, "an abstract", _in_opening(r"\bab ?stract\b|\bsummary\b")),
    Sign(2.5, "references", _anywhere(r"\n[ \d.]{0,8}(?:r ?eferences|bibliography|literature cited|works cited)\b")),
    Sign(1.5, "citations", _anywhere(r"\[\d{1,3}(?:, ?\d{1,3}){0,9}\]|\([^()\n]{3,60}, ?(?:19|20)\d\d[a-z]?\)", 5)),
    Sign(1.0, "an introduction", _anywhere(r"\n(?:[1i][. ]{1,3})?i ?ntroduction\b")),
    Sign(1.0, "a conclusion", _anywhere(r"\n[ \divx.]{0,8}(?:conclu(?:sion|ding)|discussion|related work)")),
    Sign(1.0, "a venue", _in_opening(
        r"\bproceedings\b|\bjournal\b|\btransactions on\b|\bconference\b|\bworkshop\b|\bsymposium\b|\bdoi\b|\bisbn\b"
        r"|\bissn\b|\barxiv:|\bcopyright\b|©"
    )),
    Sign(1.5, "a report or thesis", _in_opening(
        r"\btechnical report\b|\bthesis\b|\bdissertation\b|\bsubmitted in partial"
    )),
    Sign(-3.0, "a course", _in_opening(
        r"\bhomework\b|\bassignment \d|\bsyllabus\b|\bproblem set\b|\bexercises?\b|\boffice hours\b|\binstructor:"
        r"|\blecture \d|\blecture notes\b|\bmidterm\b|\bfinal exam\b|\bquiz\b|\bcourse overview\b|\bgrading\b"
    )),
    Sign(-4.0, "a curriculum vitae", _in_opening(
        r"\bcurriculum vitae\b|\br[eé]sum[eé]\n|\bcv\n"
        r"|\n(?:•? ?education|employment|academic history|work experience)\b"
        r"|\nlist of publications\b|\bcitizenship:|\bresearch\s+interests\n"
    )),
    Sign(-2.0, "a schedule or form", _in_opening(
        r"\bagenda\b|\bproject schedule\b|\bproject plan\b|\bminutes of\b|\bcopyright transfer\b|\bregistration form\b"
    )),
)  # fmt: skip


@dataclass
class PublicationJudge:
    brief: Brief
    threshold: float = parameter(0.5, "A document of this probability is a publication.")
    html: bool = parameter(False, "Look at web pages too, instead of PDF and PostScript documents only.")

    def judge(self, page: Page) -> Verdict:
        if page.type not in DOCUMENTS and not (self.html and page.type == "text/html"):
            return Verdict()
        odds = START + _length(page) + sum(sign.weight for sign in self.signs(page))
        score = 1.0 / (1.0 + exp(-odds))
        topic = self.brief.topics[0].name if len(self.brief.topics) == 1 else ""
        return Verdict(score, topic, {topic: score}, score >= self.threshold)

    @staticmethod
    def signs(page: Page) -> list[Sign]:
        """What speaks for or against the document."""
        text = f"{page.title}\n{page.text[:MOST_TEXT]}".lower()
        return [sign for sign in SIGNS if sign.seen(text[:OPENING], text)]


def _length(page: Page) -> float:
    """Papers are long and their lines full: slides and posters are neither."""
    words = len(page.words)
    lines = sum(1 for line in page.text[:MOST_TEXT].split("\n") if line.strip())
    size = min(1.5, max(-3.0, log((words + 1) / 1500.0)))
    fullness = min(1.0, max(-2.0, (words / max(1, lines) - 6.0) / 2.0))
    return size + fullness
