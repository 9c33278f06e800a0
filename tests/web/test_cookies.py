"""Login cookies go to the site they were given for, and nowhere else."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from pinakes.core.errors import PinakesError
from pinakes.core.page import Link
from pinakes.testing.live import on_wire
from pinakes.testing.wire import Asked, Wired, Write, page
from pinakes.web.cookies import Cookies
from pinakes.web.http import LiveWeb

FILE = """# Netscape HTTP Cookie File
#HttpOnly_lib.example.org\tFALSE\t/\tFALSE\t0\tsession\tabc
.example.org\tTRUE\t/\tFALSE\t0\twide\tdef
lib.example.org\tFALSE\t/members\tFALSE\t0\tpath\tghi
lib.example.org\tFALSE\t/\tTRUE\t0\tsecure\tjkl
lib.example.org\tFALSE\t/\tFALSE\t1000\told\tmno
other.example.net\tFALSE\t/\tFALSE\t0\tother\tpqr
.co.uk\tTRUE\t/\tFALSE\t0\tsuffix\tstu
lib.example.org\tFALSE\t/\tFALSE\t0\tevil\tx; y=z
nonsense
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "cookies.txt"
    path.write_text(FILE)
    return path


def test_cookies_match_host_path_scheme_and_time(file: Path) -> None:
    """As a browser would send them."""
    plain = Cookies({"http://lib.example.org": file})
    assert plain.header("http://lib.example.org/", now=2000) == "session=abc; wide=def"
    assert plain.header("http://lib.example.org/", now=500) == "session=abc; wide=def; old=mno"
    assert plain.header("http://lib.example.org/members", now=2000) == "session=abc; wide=def; path=ghi"
    assert plain.header("http://lib.example.org/members/x?y", now=2000) == "session=abc; wide=def; path=ghi"
    assert plain.header("http://lib.example.org/membership", now=2000) == "session=abc; wide=def"
    secure = Cookies({"https://lib.example.org": file})
    assert secure.header("https://lib.example.org/", now=2000) == "session=abc; wide=def; secure=jkl"


@pytest.mark.parametrize(
    "url",
    [
        "http://lib.example.org/",
        "https://lib.example.org:8443/",
        "https://www.example.org/",
        "https://example.org/",
        "https://sub.lib.example.org/",
        "https://other.example.net/",
        "https://lib.example.org.evil.example/",
    ],
)
def test_cookies_cross_neither_hosts_nor_schemes_nor_ports(url: str, file: Path) -> None:
    """Not even a cookie for the whole domain leaves the site the file was given for."""
    assert Cookies({"https://lib.example.org": file}).header(url) == ""


def test_a_cookie_for_a_public_suffix_is_refused(tmp_path: Path) -> None:
    """One for `co.uk` or `github.io` would be everybody's."""
    for suffix, site in (("co.uk", "http://shop.co.uk"), ("github.io", "http://me.github.io")):
        file = tmp_path / "cookies.txt"
        file.write_text(f".{suffix}\tTRUE\t/\tFALSE\t0\ta\tb\n")
        with pytest.raises(PinakesError, match="no cookies for"):
            Cookies({site: file})


def test_mistakes_are_told_in_a_sentence(tmp_path: Path, file: Path) -> None:
    """A file that is not there, and a site that is none."""
    with pytest.raises(PinakesError, match="cannot be read"):
        Cookies({"http://lib.example.org": tmp_path / "none.txt"})
    with pytest.raises(PinakesError, match="is not a site"):
        Cookies({"lib": file})


def test_a_redirect_takes_no_cookie_along_and_servers_set_none(file: Path) -> None:
    """What goes over the wire: the login to its site alone, and never into the archive."""

    async def say(asked: Asked, write: Write) -> bool:
        away = page(b"", "Location: http://evil.example/", "Set-Cookie: tracker=1; Domain=example", status="302 Found")
        await write(away if asked.target == "/away" else page(b"<p>x</p>", "Set-Cookie: tracker=2"))
        return True

    async def use(web: LiveWeb, wired: Wired) -> dict[str, str]:
        first = await web.fetch(Link("http://lib.example.org/away"))
        await web.fetch(Link(first.hop))
        await web.fetch(Link("http://lib.example.org:8080/"))
        await web.fetch(Link("http://lib.example.org/"))
        kept = b"".join(gzip.decompress(member.data) for member in first.record)
        assert b"GET /away HTTP/1.1" in kept and b"session=abc" not in kept
        return {asked.host + asked.target: asked.headers.get("cookie", "") for asked in wired.asked}

    sent = on_wire(say, use, logins={"http://lib.example.org": file})
    assert sent == {
        "lib.example.org/robots.txt": "session=abc; wide=def",
        "lib.example.org/away": "session=abc; wide=def",
        "evil.example/robots.txt": "",
        "evil.example/": "",
        "lib.example.org:8080/robots.txt": "",
        "lib.example.org:8080/": "",
        "lib.example.org/": "session=abc; wide=def",
    }
