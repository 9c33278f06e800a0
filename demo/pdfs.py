"""Sets the papers, slides and handouts as PDFs: fixed dates, core fonts, so that two runs give the same bytes."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from fpdf import FPDF
from sources import PROCEEDINGS, VENUE, Paper, Sources, Work

MADE = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


class Sheet(FPDF):
    """A page with a running foot."""

    foot = ""

    def footer(self) -> None:
        self.set_y(-14)
        self.set_font("Times", "", 8)
        self.cell(0, 5, f"{self.foot}    {self.page_no()}" if self.foot else str(self.page_no()), align="C")


def make(paper: Paper, sources: Sources) -> bytes:
    pdf = Sheet(
        orientation="L" if "slides" in paper.layout else "P", format=(148, 210) if "slides" in paper.layout else "A4"
    )
    pdf.set_creation_date(MADE)
    pdf.set_producer("Pinakes demo")
    pdf.set_auto_page_break(True, 18)
    pdf.set_margins(20, 18)
    if "slides" in paper.layout:
        _slides(pdf, paper)
    elif "notes" in paper.layout:
        _notes(pdf, paper)
    else:
        _article(pdf, paper, sources)
    return bytes(pdf.output())


def sections(body: str) -> list[tuple[str, list[str]]]:
    """(heading, lines) of a body; what stands before the first heading has none."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in body.splitlines():
        if line.startswith("## "):
            found.append((line[3:], []))
        elif line.strip():
            found[-1][1].append(line)
    return found


def _slides(pdf: Sheet, paper: Paper) -> None:
    pdf.foot = paper.title
    pdf.add_page()
    pdf.ln(30)
    pdf.set_font("Helvetica", "B", 22)
    pdf.multi_cell(0, 10, paper.title, align="C", new_x="LMARGIN", new_y="NEXT")
    pdf.set_font("Helvetica", "", 14)
    pdf.multi_cell(0, 12, f"{paper.authors[0]}, {paper.year}", align="C", new_x="LMARGIN", new_y="NEXT")
    for heading, lines in sections(paper.body)[1:]:
        pdf.add_page()
        pdf.set_font("Helvetica", "B", 20)
        pdf.cell(0, 14, heading, new_x="LMARGIN", new_y="NEXT")
        pdf.set_font("Helvetica", "", 15)
        for line in lines:
            pdf.cell(0, 11, "\x95 " + line.removeprefix("- "), new_x="LMARGIN", new_y="NEXT")


def _notes(pdf: Sheet, paper: Paper) -> None:
    pdf.add_page()
    pdf.set_font("Helvetica", "B", 15)
    pdf.multi_cell(0, 8, paper.title, new_x="LMARGIN", new_y="NEXT")
    for heading, lines in sections(paper.body):
        if heading:
            pdf.set_font("Helvetica", "B", 11)
            pdf.cell(0, 9, heading, new_x="LMARGIN", new_y="NEXT")
        pdf.set_font("Helvetica", "", 10)
        for line in lines:
            pdf.multi_cell(0, 5.5, line, new_x="LMARGIN", new_y="NEXT")


def _article(pdf: Sheet, paper: Paper, sources: Sources) -> None:
    journal = "bio" in paper.layout
    pdf.foot = f"Eastmoor Field Studies, {paper.year}" if journal else f"{VENUE} {paper.year}"
    pdf.set_author("; ".join(paper.authors))
    if paper.year % 2 == 0:  # as in life, some files carry their title and some do not
        pdf.set_title(paper.title)
    pdf.add_page()
    pdf.set_font("Times", "B", 17)
    pdf.multi_cell(0, 8, paper.title, align="C", new_x="LMARGIN", new_y="NEXT")
    pdf.ln(2)
    for place, names in _grouped(paper, sources):
        pdf.set_font("Times", "", 12)
        pdf.cell(0, 6, ", ".join(names), align="C", new_x="LMARGIN", new_y="NEXT")
        pdf.set_font("Times", "I", 10)
        pdf.cell(0, 5, place, align="C", new_x="LMARGIN", new_y="NEXT")
    pdf.ln(4)
    order = cited(paper, sources)
    first, _, rest = paper.body.partition("\nkeywords:")
    keywords, _, text = rest.partition("\n")
    with pdf.text_columns(
        ncols=2 if "two" in paper.layout else 1, gutter=7, text_align="J", balance="two" in paper.layout
    ) as columns:

        def write(words: str, style: str = "", size: int = 10, indent: float = 0) -> None:
            pdf.set_font("Times", style, size)
            with columns.paragraph(bottom_margin=1.8, indent=indent) as paragraph:
                paragraph.write(words)

        write("Abstract", "B", 11)
        write(first.strip(), "I" if "two" in paper.layout else "", 9)
        write("Keywords: " + keywords.strip(), "", 9)
        for number, (heading, lines) in enumerate(sections(text)[1:], start=1):
            write(f"{number}. {heading}" if "num" in paper.layout else heading, "B", 11)
            for line in lines:
                write(re.sub(r"\{(\w+)\}", lambda m: _mark(m[1], order, paper, sources), line))
        if order:
            write("References", "B", 11)
            for number, key in enumerate(order, start=1):
                work = sources.works[key]
                write(f"[{number}] {_numbered(work)}" if "num" in paper.layout else _dated(work), "", 9)


def _grouped(paper: Paper, sources: Sources) -> list[tuple[str, list[str]]]:
    groups: dict[str, list[str]] = {}
    for name in paper.authors:
        place = "School of Biology, Eastmoor College" if "bio" in paper.layout else sources.affiliations[name]
        groups.setdefault(place, []).append(name)
    return list(groups.items())


def cited(paper: Paper, sources: Sources) -> list[str]:
    """Keys of the works cited: in order of first mention, or by author where the style is author and year."""
    keys = list(dict.fromkeys(re.findall(r"\{(\w+)\}", paper.body)))
    if "num" in paper.layout:
        return keys
    return sorted(keys, key=lambda key: (sources.works[key].authors[0].split()[-1], sources.works[key].year))


def _mark(key: str, order: list[str], paper: Paper, sources: Sources) -> str:
    if "num" in paper.layout:
        return f"[{order.index(key) + 1}]"
    work = sources.works[key]
    names = [name.split()[-1] for name in work.authors]
    return f"({names[0] + ' et al.' if len(names) > 2 else ' and '.join(names)}, {work.year})"


def _initials(name: str) -> tuple[str, str]:
    if "Group" in name:
        return "", name
    *given, family = name.split()
    return " ".join(f"{part[0]}." for part in given), family


def _numbered(work: Work) -> str:
    names = [" ".join(filter(None, _initials(name))) for name in work.authors]
    listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return f"{listed}. {work.title}. {'In ' if work.where == PROCEEDINGS else ''}{work.where}, {work.year}."


def _dated(work: Work) -> str:
    names = [", ".join(filter(None, reversed(_initials(name)))) for name in work.authors]
    return (
        f"{' and '.join(names)} ({work.year}). {work.title}. {'In: ' if work.where == PROCEEDINGS else ''}{work.where}."
    )
