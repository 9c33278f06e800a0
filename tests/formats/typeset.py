"""Sets papers in the styles of several publishers, with everything in them invented."""

from __future__ import annotations

from typing import NamedTuple

from fpdf import FPDF

LOREM = (
    "We study how small archives grow when their readers may add what they miss. The method needs no training and "
    "works on any shelf. Experiments with nine archives show that readers agree on what is missing far more often than "
    "their librarians expected, and that the order of additions hardly matters. "
)


class Cited(NamedTuple):
    authors: tuple[tuple[str, str], ...]
    """Given name and family name."""
    title: str
    year: int
    venue: str = "Journal of Invented Results"


CITED = (
    Cited((("Anna", "Ferrier"), ("Björn", "Østgaard")), "Growing archives one reader at a time", 1998),
    Cited(
        (("Carla", "de la Rosa"),),
        "Shelves, lists and the efficient catalogue",
        2001,
        "Proceedings of the Shelf Workshop",
    ),
    Cited((("David", "Lindqvist"), ("Eve", "Marchand"), ("Frank", "O'Hara")), "Do readers know better?", 2003),
    Cited((("Grace", "Müller-Thurgau"),), "A theory of missing books", 1987),
    Cited((("Hiro", "Tanabe"), ("Ines", "Calvão")), "Fast algorithms for slow libraries", 1999),
    Cited(
        (("Jan", "van der Berg"),), "Office automation in the reading room", 2000, "Proceedings of the Shelf Workshop"
    ),
    Cited((("Karen", "Ng"), ("Luis", "Ortega")), "Measuring affection for old catalogues", 2002),
    Cited((("Mary", "Smith"), ("Wei", "Li")), "Why do people cite? Motives of scholars in six towns", 1995),
)


class Sheet(FPDF):
    head = ""

    def header(self) -> None:
        if self.head:
            self.set_font("Times", "I", 8)
            self.cell(0, 5, self.head, align="C", new_x="LMARGIN", new_y="NEXT")

    def footer(self) -> None:
        self.set_y(-12)
        self.set_font("Times", "", 8)
        self.cell(0, 5, str(self.page_no()), align="C")


def initials(given: str) -> str:
    return f"{given[0]}."


def ieee(n: int, work: Cited) -> str:
    names = " and ".join(f"{initials(given)} {family}" for given, family in work.authors)
    return f"[{n}] {names}, “{work.title},” {work.venue}, vol. 3, pp. 10–20, {work.year}."


def acm(n: int, work: Cited) -> str:
    names = [f"{initials(given)} {family}" for given, family in work.authors]
    listed = ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]
    stop = "" if work.title.endswith("?") else "."
    return f"[{n}] {listed}. {work.title}{stop} In {work.venue}, pages 10–20, {work.year}."


def springer(n: int, work: Cited) -> str:
    names = ", ".join(f"{family}, {initials(given)}" for given, family in work.authors)
    stop = "" if work.title.endswith("?") else "."
    return f"{n}. {names}: {work.title}{stop} In: {work.venue}, pp. 10–20 ({work.year})"


def apa(n: int, work: Cited) -> str:
    names = ", & ".join(f"{family}, {initials(given)}" for given, family in work.authors)
    stop = "" if work.title.endswith("?") else "."
    return f"{names} ({work.year}). {work.title}{stop} {work.venue}, 3, 10–20."


def plain_name(n: int, work: Cited) -> str:
    names = " and ".join(f"{given} {family}" for given, family in work.authors)
    stop = "" if work.title.endswith("?") else "."
    return f"{names}. {work.year}. {work.title}{stop} {work.venue}, 3:10–20."


def alpha(n: int, work: Cited) -> str:
    key = "".join(family.split()[-1][0] for _, family in work.authors)
    key = (key if len(key) > 1 else work.authors[0][1].split()[-1][:3]) + f"{work.year % 100:02}"
    return f"[{key}] " + acm(n, work).partition("] ")[2]


def vancouver(n: int, work: Cited) -> str:
    names = ", ".join(f"{family} {given[0]}" for given, family in work.authors)
    stop = "" if work.title.endswith("?") else "."
    return f"{n}. {names}. {work.title}{stop} {work.venue}. {work.year};3(2):10-20."


def harvard(n: int, work: Cited) -> str:
    names = " and ".join(f"{family}, {initials(given)}" for given, family in work.authors)
    return f"{names} ({work.year}) ‘{work.title}’, {work.venue}, 3(2), pp. 10–20."


def din(n: int, work: Cited) -> str:
    names = " ; ".join(f"{family}, {given}" for given, family in work.authors)
    stop = "" if work.title.endswith("?") else "."
    return f"[{n}] {names}: {work.title}{stop} In: {work.venue} 3 ({work.year}), S. 10–20"


STYLES = {
    "ieee": ieee,
    "acm": acm,
    "springer": springer,
    "apa": apa,
    "acl": plain_name,
    "alpha": alpha,
    "vancouver": vancouver,
    "harvard": harvard,
    "din": din,
}


def typeset(
    style: str,
    *,
    title: str,
    authors: tuple[str, ...],
    columns: int = 1,
    marks: bool = False,
    head: str = "",
    banner: str = "",
    appendix: bool = False,
    grid: bool = False,
    cover: str = "",
    heading: str = "References",
    works: tuple[Cited, ...] = CITED,
) -> bytes:
    """A paper in a style of references; `marks` gives the authors raised numbers, `grid` a column each.

    The `cover` of a `repository` comes before the paper; that of a `thesis` has title and author, not said again.
    """
    pdf = Sheet()
    pdf.core_fonts_encoding = "cp1252"
    pdf.head = head
    pdf.set_margins(20, 18)
    pdf.set_auto_page_break(True, 18)
    pdf.add_page()
    if cover == "repository":
        pdf.set_font("Helvetica", "B", 22)
        pdf.cell(0, 10, "Harbour Research Online", new_x="LMARGIN", new_y="NEXT")
        pdf.set_font("Helvetica", "", 10)
        pdf.multi_cell(0, 5, f"This is a repository copy of {title}\nISSN 0000-0000", new_x="LMARGIN", new_y="NEXT")
        pdf.add_page()
    if banner:
        pdf.set_font("Helvetica", "", 9)
        pdf.multi_cell(0, 5, banner, new_x="LMARGIN", new_y="NEXT")
        pdf.ln(4)
    pdf.set_font("Times", "B", 17)
    pdf.multi_cell(0, 8, title, align="C", new_x="LMARGIN", new_y="NEXT")
    pdf.ln(3)
    _authors(pdf, authors, marks, grid)
    if cover == "thesis":
        pdf.add_page()
    pdf.ln(5)
    with pdf.text_columns(ncols=columns, gutter=8, text_align="J", balance=False) as flow:

        def write(words: str, emphasis: str = "", size: float = 10, *, hanging: float = 0) -> None:
            pdf.set_font("Times", emphasis, size)
            with flow.paragraph(bottom_margin=2, indent=hanging, first_line_indent=-hanging) as paragraph:
                paragraph.write(words)

        write("Abstract", "B", 12)
        write(LOREM, size=9)
        write("Keywords: archives, shelves, missing books", size=9)
        for section in ("1 Introduction", "2 Method", "3 Results"):
            write(section, "B", 12)
            for _ in range(5):
                write(LOREM * 2)
        if heading:
            write(heading, "B", 12)
        for number, work in enumerate(works, start=1):
            write(STYLES[style](number, work), size=9, hanging=5)
        if appendix:
            write("A Proof of the Main Theorem", "B", 12)
            for _ in range(4):
                write(LOREM * 2)
    return bytes(pdf.output())


def _authors(pdf: FPDF, authors: tuple[str, ...], marks: bool, grid: bool) -> None:
    pdf.set_font("Times", "", 12)
    if len(authors) == 1:
        pdf.cell(0, 6, authors[0], align="C", new_x="LMARGIN", new_y="NEXT")
        return
    if grid:
        width = pdf.epw / len(authors)
        for lines, size in ((authors, 12), (("Harbour College",) * len(authors), 10), (_mails(authors), 10)):
            pdf.set_font("Times", "", size)
            for line in lines:
                pdf.cell(width, 5, line, align="C")
            pdf.ln(5)
        return
    if not marks:
        pdf.cell(0, 6, ", ".join(authors[:-1]) + " and " + authors[-1], align="C", new_x="LMARGIN", new_y="NEXT")
    else:
        total = sum(pdf.get_string_width(f"{name}, ") + 2 for name in authors)
        pdf.set_x((pdf.w - total) / 2)
        for place, name in enumerate(authors):
            pdf.write(6, name)
            pdf.char_vpos = "SUP"
            pdf.write(6, str(place % 2 + 1))
            pdf.char_vpos = "LINE"
            pdf.write(6, ", " if place < len(authors) - 1 else "")
        pdf.ln(6)
    pdf.set_font("Times", "I", 10)
    for place in ("1 Department of Shelves, Harbour College", "2 Institute for Catalogues, Upper Town"):
        pdf.cell(0, 5, place if marks else place[2:], align="C", new_x="LMARGIN", new_y="NEXT")


def _mails(authors: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{name.split()[-1].lower()}@harbour.example" for name in authors)
