"""Who may ask, who may write, and what every answer carries."""

from __future__ import annotations

import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pinakes.core.errors import PinakesError
from pinakes.library.labels import Labels
from pinakes.library.library import Library
from pinakes.serve.desk import check_base_url

FORM = "application/x-www-form-urlencoded"


def test_every_answer_forbids_what_pages_do_not_need(served: Any) -> None:
    """Pages, pieces, files and refusals: none lets a stranger's script run."""
    for path in ("/", "/search?q=owl", "/pages/1", "/nowhere", "/export?format=csv"):
        headers = served.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "content-security-policy" in served.get("/", Host="evil.example").headers


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:80", "", "localhost.evil"])
def test_another_host_name_is_not_answered(served: Any, host: str) -> None:
    """A name that resolves here by a trick gets nothing to read."""
    answer = served.get("/", Host=host)
    assert answer.status in (400, 421)
    assert "Collections" not in answer.body


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8321", "LOCALHOST", "[::1]:99"])
def test_this_machine_is_answered(served: Any, host: str) -> None:
    assert served.get("/crawls", Host=host).status == 200


def test_a_write_without_the_token_is_refused(served: Any) -> None:
    """Nothing is written for whoever has no cookie, a wrong one, or a wrong bearer."""
    for headers in ({}, {"Cookie": "pinakes=1"}, {"Authorization": "Bearer wrong"}, {"Authorization": "Bearer "}):
        answer = served.ask(
            "POST", "/label", b"name=Birds&url=x&label=good", Content_Type=FORM, Origin=served.url, **headers
        )
        assert answer.status == 401
    assert not Labels(served.folder).of("Birds")


def test_a_form_of_another_site_is_refused(served: Any) -> None:
    """Even with the reader's cookie, and even with the right token in the form."""
    form = f"form_token={served.app.state.desk.form_token}&name=Birds&url=x&label=good".encode()
    told = {"Cookie": served.cookie, "Content_Type": FORM}
    strangers = (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Origin": served.url, "Sec_Fetch_Site": "cross-site"},
        {},
    )
    for stranger in strangers:
        assert served.ask("POST", "/label", form, **told, **stranger).status == 403, stranger


def test_another_site_may_link_here_and_no_more(served: Any) -> None:
    """Its pictures, frames and scripts get nothing, and cost nothing; a click of its readers leads here."""
    for site in ("cross-site", "same-site"):
        for mode, dest in (("no-cors", "image"), ("cors", "empty"), ("navigate", "iframe")):
            told = {"Sec_Fetch_Site": site, "Sec_Fetch_Mode": mode, "Sec_Fetch_Dest": dest}
            assert served.get("/export?format=wacz", **told).status == 403
        clicked = {"Sec_Fetch_Site": site, "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
        assert served.get("/crawls", **clicked).status == 200


def test_readers_and_a_writer_do_not_wait_for_each_other(own_library: Path, serve: Callable[..., Any]) -> None:
    """Pages are read while a transaction is open, and show it only once it is committed."""
    with serve(own_library) as found, Library(own_library, write=True) as library:
        before = found.get("/api/library").body
        library.connection.execute("BEGIN IMMEDIATE")
        library.connection.execute("INSERT INTO collections VALUES (999, 'New', '', '', 1, 0.0, '[]')")
        for path in ("/", "/collections", "/pages/1", "/search?q=owl", "/crawls/1"):
            assert found.get(path).status == 200
        assert found.get("/api/library").body.replace("true", "false") == before.replace("true", "false")
        library.connection.commit()
        assert "New" in found.get("/collections").body


def test_a_form_without_our_token_is_refused(served: Any) -> None:
    form = b"name=Birds&url=x&label=good"
    answer = served.ask("POST", "/label", form, Cookie=served.cookie, Origin=served.url, Content_Type=FORM)
    assert answer.status == 403


def test_the_link_signs_a_browser_in(served: Any, token: str) -> None:
    """The cookie is out of scripts' reach and not sent along by other sites; the address forgets the token."""
    answer = served.get(f"/?token={token}")
    assert answer.status == 303 and answer.headers["location"] == "/"
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "samesite=strict" in cookie.lower() and token not in cookie
    assert "you may label" in served.get("/", Cookie=cookie.partition(";")[0]).body
    assert served.get("/?token=wrong").status == 403
    assert "reading only" in served.get("/").body


def test_a_token_is_taken_wherever_the_link_leads(served: Any, token: str) -> None:
    """To the page it leads to, with the rest of its query; never to another host, and writing is as guarded as ever."""
    answer = served.get(f"/start?token={token}")
    assert answer.status == 303 and answer.headers["location"] == "/start"
    cookie = answer.headers["set-cookie"].partition(";")[0]
    assert "reading only" not in served.get("/start", Cookie=cookie).body
    again = served.get(f"/search?q=owl+%26+nest&token={token}&page=2")
    assert again.headers["location"] == "/search?q=owl+%26+nest&page=2"
    assert served.get(f"//evil.example/?token={token}").headers["location"] == "/evil.example/"
    assert served.get("/start?token=wrong").status == 403
    assert "set-cookie" not in served.get(f"/api/status?token={token}").headers
    form = f"form_token={served.app.state.desk.form_token}&name=Birds&url=x&label=good".encode()
    strange = {"Cookie": cookie, "Origin": "http://evil.example", "Content_Type": FORM}
    assert served.ask("POST", f"/label?token={token}", form, **strange).status == 403
    assert served.ask("POST", f"/label?token={token}", form, Origin=served.url, Content_Type=FORM).status == 401


def test_too_much_is_not_taken(served: Any) -> None:
    """Neither announced nor sent without saying how much."""
    told = {"Cookie": served.cookie, "Origin": served.url, "Content_Type": FORM}
    assert served.ask("POST", "/label", b"x" * (1 << 20) + b"yz", **told).status == 413
    assert served.ask("POST", "/label", b"", Content_Length="99999999999", **told).status == 413
    with socket.create_connection(("127.0.0.1", served.port), timeout=10) as line:
        head = (
            f"POST /label HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {served.cookie}\r\nOrigin: {served.url}\r\n"
            f"Content-Type: {FORM}\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        line.sendall(head.encode())
        sent = 0
        try:
            for _ in range(64):
                line.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
                sent += 65536
            line.sendall(b"0\r\n\r\n")
            answered = line.recv(100)
        except OSError:
            answered = b""
    assert not answered or (b" 2" not in answered[:12] and b" 3" not in answered[:12])
    assert served.get("/crawls").status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/static/x/../../../pyproject.toml",
        "/static/x/..%2f..%2fapp.py",
        "/static/x/app.py",
        "/evaluation?name=../reports/small",
        "/evaluation/results?name=..",
        "/evaluation/results?name=small%2f..%2fsmall",
        "/maps/4/..%2f..%2fcatalogue.db",
        "/maps/4/pdf",
        "/harvests/3/../../catalogue.db",
        "/export?format=..%2fx",
        "/export?format=csv&collection=../../etc/passwd",
        "/collection?name=../../catalogue.db",
        "/jobs/..%2f..%2f",
        "/copy/../../../etc/passwd",
        "//etc/passwd",
        "/pages/99999999999999999999999",
        "/copy/99999999999999999999999",
        "/crawls/99999999999999999999999",
    ],
)
def test_no_name_leads_out_of_the_library(served: Any, path: str) -> None:
    answer = served.get(path)
    assert answer.status in (400, 404), answer.status
    assert "SQLite" not in answer.body and "root:" not in answer.body


def test_behind_a_proxy_every_address_has_its_prefix(own_library: Path, serve: Callable[..., Any], token: str) -> None:
    """With the prefix handed on or taken off; links, forms, assets and the cookie stay under it."""
    with serve(own_library, base_url="https://library.example.org/birds/") as found:
        for path in ("/birds/collections", "/collections"):
            body = found.get(path, Host="library.example.org").body
            assert 'href="/birds/collection?name=Birds"' in body
            assert all(link.startswith(("/birds/", "data:", "#", "http")) for link in _links(body)), _links(body)
        signed = found.get(f"/birds/?token={token}", Host="library.example.org")
        assert signed.headers["location"] == "/birds/"
        assert "Path=/birds" in signed.headers["set-cookie"] and "Secure" in signed.headers["set-cookie"]


@pytest.mark.parametrize("text", ["library.example.org", "ftp://x.org", "https://", "https://x.org/?a=1"])
def test_a_bad_base_url_is_explained(text: str) -> None:
    with pytest.raises(PinakesError, match="--base-url"):
        check_base_url(text)


def _links(body: str) -> list[str]:
    import re

    return re.findall(r'(?:href|src|action)="([^"]*)"', body)
