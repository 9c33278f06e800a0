"""What stands on many pages of a site is its frame."""

from __future__ import annotations

from pinakes.text.frames import Framed, without_frames


def test_lines_and_titles_that_a_sites_pages_share_are_left_out() -> None:
    pages = [Framed("a.example", f"Owl {n} - Birds of Ayland", f"home next\nThe owl {n} sings.") for n in range(4)]
    pages.append(Framed("b.example", "Comets", "home next\nComets have tails."))
    found = without_frames(pages)
    assert found[0] == Framed("a.example", "Owl 0", "The owl 0 sings.")
    assert found[-1] == pages[-1]


def test_two_pages_make_no_frame() -> None:
    pages = [Framed("a.example", "Owls", "home")] * 2
    assert without_frames(pages) == pages
