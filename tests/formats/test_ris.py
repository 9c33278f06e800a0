from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pinakes.formats.bibliography import Work
from pinakes.formats.ris import read_ris

FILE = """\ufeffProvider: nobody
TY  - JOUR
T1  - Owls at
      night
A1  - Doe, Jane
A1  - Li, Wei
AU  - Doe, Jane
Y1  - 1999/07//
JF  - Journal of Owls
DO  - https://doi.org/10.1000/XYZ
UR  - http://a.example/; http://b.example/
KW  - *owls
N2  - They fly.
XX  - unknown
SP  -
ER  -

TY  - CONF
TI  - No end
TY  - BOOK
AU  - Only an author
ER  -
"""


def test_records() -> None:
    """Marks at the beginning, values over lines, tags of several writers, a missing end, unknown tags."""
    works, problems = read_ris(FILE.replace("\n", "\r\n").encode())
    assert works[0] == Work(
        "Owls at night", ("Jane Doe", "Wei Li"), 1999, "Journal of Owls", "jour", "10.1000/xyz", "http://a.example/",
        "They fly.", ("owls",), "", 2,
    )  # fmt: skip
    assert [work.title for work in works] == ["Owls at night", "No end", ""]
    assert [problem.line for problem in problems] == [18]


def test_the_day_somebody_looked_at_it_is_no_year() -> None:
    """Y2 is the date of access (or of a conference's end); PY, Y1 and DA are of the work."""
    seen = b"TY  - JOUR\nTI  - Owls\nY2  - 2024/05/01/\n%bER  -\n"
    assert read_ris(seen % b"").works[0].year is None
    for tag in (b"PY", b"Y1", b"DA"):
        assert read_ris(seen % (tag + b"  - 1999\n")).works[0].year == 1999


@given(some.text(alphabet="TYERAU -\n19", max_size=200))
def test_nothing_raises(text: str) -> None:
    read_ris(text.encode())


@pytest.mark.shared
def test_recorded_exports(shared: Path) -> None:
    folder = shared / "recordings" / "ris"
    assert len(read_ris((folder / "litstudy_example.ris").read_bytes()).works) == 25
    assert len(read_ris((folder / "example_full_without_whitespace.ris").read_bytes()).works) == 2
    assert "begins with TY" in read_ris((folder / "example_wos.ris").read_bytes()).problems[0].what
