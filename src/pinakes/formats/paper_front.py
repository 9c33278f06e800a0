"""The front of a paper: its title, where the names end and the text begins, abstract, keywords and year.

Typography decides. The title is the largest text in the upper part of the first page that is no banner; what stands
between it and the abstract (or the first section) names the authors and where they work.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from pinakes.formats.layout import Layout, Line, PageLines, rows, to_line
from pinakes.formats.prose import joined

_COVER = 300
"""Words a cover has at most."""
_ABSTRACT = r"abstract|summary|synopsis|zusammenfassung|kurzfassung|r[ée]sum[ée]|resumen|sommario|resumo"
_INTRO = r"introduction|einleitung|introducci[óo]n|introduzione|introdu[çc][ãa]o|motivation|overview"
_KEYWORDS = (
    r"[*∗•]?\s*(?:author\s+|additional\s+)?key\s?-?words?(?:\s+and\s+phrases)?|index\s+terms|schl[üu]sselw[öo]rter|"
    r"mots[- ]cl[ée]s|palabras\s+clave"
)
_abstract_alone = re.compile(rf"(?:{_ABSTRACT})\s*[.:—–-]*", re.IGNORECASE).fullmatch
_abstract_run_in = re.compile(rf"(?:{_ABSTRACT})\s*(?:[.:—–-]\s*|\s(?=[A-Z]))", re.IGNORECASE).match
_section = re.compile(rf"(?:(?:\d+|[IVX]+)\s*\.?\s*)?(?:{_INTRO})\s*[.:]?", re.IGNORECASE).fullmatch
_first_section = re.compile(r"(?:1|I)\s*\.?\s+[A-Z][\w\s,:’'&-]{2,70}").fullmatch
_keywords = re.compile(rf"(?:{_KEYWORDS})\s*[.:—–-]*\s*", re.IGNORECASE).match
_after_abstract = re.compile(
    rf"(?:{_KEYWORDS}|categories\s+and\s+subject|general\s+terms|ccs\s+concepts|acm\s+(?:reference|subject|classif)|"
    r"(?:2\d{3}\s+|19\d\d\s+)?(?:acm|ams|mathematics)\s+subject\s+classification|digital\s+object\s+identifier|"
    r"article\s+history|jel\s+classification|pacs\b|permission\s+to\s+(?:make|copy)|copyright\b|©|\(c\)\s+\d{4}|funding\b|"
    rf"(?:(?:1|I)\s*\.?\s*)?(?:{_INTRO})\s*$)",
    re.IGNORECASE,
).match
_banner = re.compile(
    r"proceedings\s+of|\bproc\.|\bjournal\s+of|\b(?:acm|ieee)\s+transactions|transactions\s+on\b|\bvol(?:ume)?\.?\s*\d|\bissn\b|\bisbn\b|arxiv|technical\s+report|preprint|"
    r"copyright|©|\bdoi\b|https?:|www\.|@|available\s+online|elsevier|springer|lecture\s+notes|contents\s+lists|"
    r"research\s+article|open\s+access|original\s+(?:paper|article)|to\s+appear|accepted|submitted|this\s+paper\s+is\s+included|"
    r"\b(?:conference|symposium|workshop)\s+(?:on|paper)\b",
    re.IGNORECASE,
).search
_title_marks = re.compile(r"[\s*∗†‡§¶⋆☆★]+$")
_version = re.compile(
    r"\s*[(\[](?:(?:an?\s+)?(?:extended|full|short|long|preliminary|draft|revised|updated|invited|position|poster|demo|tool|"
    r"technical|work[- ]in[- ]progress)\b[^()]{0,24}|poster|demo(?:nstration)?)[)\]]$",
    re.IGNORECASE,
)
"""A note on which version of the paper this is."""
_year = re.compile(r"(?<![\d.])(?:19[5-9]|20[0-4])\d(?!\d|\.\d)")
_short_year = re.compile(r"[’'‘](\d\d)\b")
_dated = re.compile(
    r"copyright|©|\(c\)|proceedings|\bproc\.|conference|symposium|workshop|published|accepted|received|journal|vol\b|volume|"
    r"\bdoi\b|isbn|issn|arxiv|january|february|march|april|\bmay\b|june|july|august|september|october|november|december|"
    r"\b(?:acm|ieee|usenix|springer|elsevier)\b|appear|technical report|[’'‘]\d\d\b|eds?\.\)",
    re.IGNORECASE,
).search


class Front(NamedTuple):
    page: int
    title: str
    header: tuple[Line, ...]
    """The rows between title and text, whole page width."""
    footnotes: tuple[Line, ...]
    abstract: str
    keywords: tuple[str, ...]


def front(layout: Layout, metadata_title: str, words: Counter[str]) -> Front:
    """What the first pages say; `words` are the document's, to mend hyphens by."""
    page, group = _titled_page(layout, metadata_title)
    top = rows(page.pieces, page.number)
    title = joined([_unmarked(row) for row in group], words, title=True)
    title = _title_marks.sub("", _version.sub("", _title_marks.sub("", title))) or metadata_title
    bottom = min((row.y for row in group), default=page.height)
    start = _text_start(page, bottom)
    header = tuple(row for row in top if start < row.y < bottom - 1 and row not in group)
    feet = tuple(row for row in page.lines if row.y < min(start, page.height * 0.35))
    lines = [line for following in layout.pages[page.number : page.number + 2] for line in following.lines]
    return Front(page.number, title, header, feet, abstract(lines, words), keywords(lines, words))


def _titled_page(layout: Layout, metadata_title: str) -> tuple[PageLines, list[Line]]:
    """The page with the title, and the rows of it. Behind a cover the paper may have its title once more, or not."""
    pages = [layout.pages[number] for number in dict.fromkeys((_first_page(layout), 0))]
    found = [(page, _title_rows(layout, page, metadata_title)) for page in pages]
    for page, group in found:
        sizes = Counter(round(line.size, 1) for line in page.lines)
        text = max((line.y for line in page.lines if _starts_text(line)), default=0.0)
        if group and group[0].y > text and max(row.size for row in group) > 1.05 * sizes.most_common(1)[0][0]:
            return page, group
    # A page that begins with its abstract has the rest of the front before it.
    return found[-1] if pages[0].lines and _starts_text(pages[0].lines[0]) else found[0]


def _starts_text(line: Line) -> bool:
    return bool(_abstract_alone(line.text) or _abstract_run_in(line.text) or _section(line.text))


def _first_page(layout: Layout) -> int:
    """The page where the paper starts: behind a cover, if it has one. A cover has few words and no sections."""
    if sum(len(line.text.split()) for line in layout.pages[0].lines) > _COVER:
        return 0
    for page in layout.pages[:3]:
        for line in page.lines:
            if _starts_text(line):
                return page.number
    return 0


def _unmarked(row: Line) -> str:
    """A row of the title without the raised mark of a footnote. One within the row is a power, or the end of 21st."""
    main = max(piece.size for piece in row.pieces)
    raised = [p for p in row.pieces if p.size < 0.8 * main and p.y > row.y + 0.15 * main and len(p.text) < 3]
    last = row.pieces[-1]
    kept = [p for p in row.pieces if p not in raised or (p is not last and p.text.isalnum())]
    if len(kept) == len(row.pieces):
        return row.text
    text, end = "", 0.0
    for piece in kept:
        text += (" " if text and piece.x0 - end > 0.12 * piece.size else "") + piece.text
        end = piece.x1
    return text


def _title_rows(layout: Layout, page: PageLines, metadata_title: str) -> list[Line]:
    """The rows of the largest text of the upper page that is no banner."""
    groups: list[list[Line]] = []
    for row in _without_margins(rows(page.pieces, page.number)):
        if row.y < 0.3 * page.height:
            break
        # Between two rows of a title there may stand a row of a note in the margin.
        aside = len(groups) > 1 and len(groups[-1]) == 1 and groups[-1][0].x1 < groups[-2][-1].x0
        last = groups[-2] if aside and _continues(layout, groups[-2][-1], row) else groups[-1] if groups else None
        if last and _continues(layout, last[-1], row):
            last.append(row)
        else:
            groups.append([row])
    known = _bare(metadata_title)
    body = Counter(round(line.size, 1) for line in page.lines).most_common(1)[0][0] if page.lines else 0.0

    def banner(group: list[Line]) -> bool:
        return bool(_banner(" ".join(row.text for row in group))) or any(row in page.furniture for row in group)

    # A title may speak of journals, too: a banner stands above some other text that is set larger than the rest.
    lowest = min((g[0].y for g in groups if g[0].size > 1.1 * body and not banner(g) and not _heading(g)), default=0.0)

    def score(group: list[Line]) -> float:
        text = " ".join(row.text for row in group)
        letters = sum(map(str.isalpha, text))
        value = max(row.size for row in group)
        if letters < 4 or len(text) > 350 or _heading(group) or (len(text.split()) == 1 and letters < 6):
            return 0.0
        if banner(group) and group[0].y > lowest > 0:
            value *= 0.5
        if known and (known in _bare(text) or (letters > 8 and _bare(text) in known)):
            value *= 1.25
        return value

    scored = [(score(group), -n) for n, group in enumerate(groups)]
    if not scored:
        return []
    best = max(value for value, _ in scored)
    # Among texts of one size the first one is the title.
    first = min(-n for value, n in scored if value >= 0.97 * best)
    if not best:
        return []
    # A title that ends in a colon goes on in its subtitle, set smaller.
    unfinished = groups[first][-1].text.rstrip().endswith((":", "—")) and first + 1 < len(groups)
    return groups[first] + (groups[first + 1] if unfinished else [])


def _heading(group: Sequence[Line]) -> bool:
    text = group[0].text
    listed = (found := _keywords(text)) and (":" in found[0] or found.end() == len(text))
    return bool(_abstract_alone(text) or _section(text) or _first_section(text) or listed)


def _without_margins(found: Sequence[Line]) -> list[Line]:
    """Rows without what stands in far smaller print beside large one: notes in the margin of a title."""
    kept = []
    for row in found:
        largest = max(piece.size for piece in row.pieces)
        whole = [piece for piece in row.pieces if piece.size > 0.7 * largest]
        beside = [
            piece
            for piece in row.pieces
            if piece not in whole
            and min(max(piece.x0 - other.x1, other.x0 - piece.x1) for other in whole) > 0.5 * largest
        ]
        kept.append(to_line([piece for piece in row.pieces if piece not in beside], row.page) if beside else row)
    return kept


def _continues(layout: Layout, above: Line, row: Line) -> bool:
    if abs(above.size - row.size) > 0.04 * above.size or above.y - row.y > 2.1 * above.size:
        return False
    # One in capitals and one not are two texts; but a name of software may keep its small letters.
    parted = abs(_capitals(above.text) - _capitals(row.text)) > 0.6 and min(len(above.text), len(row.text)) > 12
    return layout.bold(above.font) == layout.bold(row.font) and not parted


def _capitals(text: str) -> float:
    letters = [c for c in text if c.isalpha()]
    return sum(map(str.isupper, letters)) / len(letters) if letters else 0.5


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _text_start(page: PageLines, below: float) -> float:
    """The height at which abstract or text begin."""
    found = [
        line.y + 0.5 * line.size
        for line in page.lines
        if line.y < below
        and (_abstract_alone(line.text) or _abstract_run_in(line.text) or _section(line.text) or _keywords(line.text))
    ]
    numbered = [line.y + 0.5 * line.size for line in page.lines if line.y < below and _first_section(line.text)]
    return max([*found, *(numbered if not found else []), _first_paragraph(page, below)])


def _first_paragraph(page: PageLines, below: float) -> float:
    """The top of the first three lines in a row that fill their column like running text."""
    lines = [line for line in page.lines if line.y < below]
    for first, second, third in zip(lines, lines[1:], lines[2:], strict=False):
        widest = max(first.x1 - first.x0, second.x1 - second.x0)
        even = abs(second.x0 - third.x0) < 2 and abs(first.x1 - second.x1) < 2 and widest > 0.35 * page.width
        even = even and abs(second.x1 - third.x1) < 2
        if even and abs(first.size - second.size) < 0.03 * first.size and len(second.text.split()) > 6:
            return first.y + 0.5 * first.size
    return 0.0


def abstract(lines: Sequence[Line], words: Counter[str]) -> str:
    """The text after the word Abstract, up to what usually follows one."""
    for place, line in enumerate(lines):
        alone = _abstract_alone(line.text)
        found = alone or _abstract_run_in(line.text)
        if not found:
            continue
        text = [] if alone else [line.text[found.end() :]]
        size = 0.0
        for follower in lines[place + 1 : place + 80]:
            heading = _after_abstract(follower.text) or _first_section(follower.text) or _abstract_alone(follower.text)
            size = size or follower.size
            other = abs(follower.size - size) > 0.2 * size
            if (heading or other) and sum(map(len, text)) > 40:
                break
            if not other:
                text.append(follower.text)
        return joined(text, words)[:5000]
    return ""


def keywords(lines: Sequence[Line], words: Counter[str]) -> tuple[str, ...]:
    """The list after the word Keywords."""
    for place, line in enumerate(lines):
        found = _keywords(line.text)
        if not found:
            continue
        text, last = [line.text[found.end() :]], line
        for follower in lines[place + 1 : place + 8]:
            ended = text[-1].rstrip().endswith(".") or not (text[-1] == "" or _goes_on(text[-1], last, line))
            other = abs(follower.size - line.size) > 1 and text[-1] != ""
            if ended or other or _after_abstract(follower.text) or _first_section(follower.text):
                break
            text.append(follower.text)
            last = follower
        listed = joined(text, words)
        parts = re.split(r"\s*[;·•]\s*" if re.search(r"[;·•]", listed) else r"\s*,\s*|\s+[–—]\s+", listed)
        return tuple(part.strip(" .:—–") for part in parts if 1 < len(part.strip(" .:—–")) < 80)[:30]
    return ()


def _goes_on(text: str, last: Line, first: Line) -> bool:
    """Whether a list goes on in the next line: it ends in a comma, or the line is full."""
    return text.rstrip().endswith((",", ";", "-", "·", "and")) or last.x1 - last.x0 > 0.85 * (first.x1 - first.x0) > 100


def year(layout: Layout, first: int, made: int, latest_cited: int) -> int | None:
    """The year of publication: as the first page says, else guessed from when the file was made and what it cites."""
    page = layout.pages[first]
    said: Counter[int] = Counter()
    for line in [*page.furniture, *rows(page.pieces, page.number)]:
        edge = line.y > 0.85 * page.height or line.y < 0.3 * page.height
        if _dated(line.text) and (edge or "©" in line.text or "opyright" in line.text):
            said.update(int(found) for found in _year.findall(line.text))
            said.update(_whole(found) for found in _short_year.findall(line.text))
    fitting = [value for value in said if value >= latest_cited - 1 and (not made or value <= made + 1)]
    if fitting:
        return max(fitting, key=lambda value: (said[value], value))
    if made and (not latest_cited or latest_cited <= made <= latest_cited + 4):
        return made
    return latest_cited or made or None


def _whole(short: str) -> int:
    return int(short) + (1900 if int(short) > 50 else 2000)
