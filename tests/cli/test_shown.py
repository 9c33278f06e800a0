"""What pages say, on a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.cli import main
from pinakes.cli.shown import LONGEST, shown
from pinakes.testing import serve

ATTACK = "owls \x1b]0;another title\x07 \x1b[2J\x9b31m \u202eslwo\r\nowls"


@given(st.text())
def test_no_text_commands_a_terminal(text: str) -> None:
    """One line of what can be seen."""
    line = shown(text)
    assert len(line) <= LONGEST and "\n" not in line
    assert not [letter for letter in line if letter < " " or "\x7f" <= letter <= "\x9f" or letter in "\u202e\u2028"]


def test_ordinary_text_is_left_alone() -> None:
    """Letters of any script, marks and signs."""
    for text in ("Été à Žižkov", "日本語", "naïve e\u0301", "👩‍🔬", "عربي", "a [b] <c> & 'd'"):
        assert shown(text) == text


def test_a_title_and_an_anchor_say_nothing_to_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """At the end of a crawl, and when one asks why a page is here."""
    pages = {
        "http://a.example/": f"<title>{ATTACK}</title><p>owls, owls <a href='/b'>{ATTACK}</a>",
        "http://a.example/b": f"<title>{ATTACK}</title><p>owls and owls",
    }
    library = str(tmp_path / "library")
    with serve(pages) as server:
        crawl = ["crawl", "--topic", "owls", "--seed", "http://a.example/", "--contact", "a@b.example", "--delay", "0"]
        crawl += ["--resolve", f"*=127.0.0.1:{server.port}", "--strategy", "best-first", "--into", library]
        for arguments in (crawl, ["why", library, "http://a.example/b"]):
            with pytest.raises(SystemExit) as ended:
                main(arguments)
            told = capsys.readouterr().out
            assert ended.value.code == 0 and "slwo owls" in told
            assert not {"\x1b", "\x07", "\x9b", "\u202e", "\r"} & set(told)
