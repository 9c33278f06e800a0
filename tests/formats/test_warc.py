"""WARC members as other tools read them, and files as we read them, whole or damaged."""

from __future__ import annotations

import gzip
import io
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from pinakes.core.page import Member
from pinakes.formats import warc
from pinakes.formats.warc_reader import RECORD_LIMIT, Record, WarcDamage, read, read_at, records

AT = 1_700_000_000.123456
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
ASKED = b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"


def written(path: Path, members: tuple[Member, ...] | list[Member]) -> Path:
    path.write_bytes(b"".join(member.data for member in members))
    return path


def checked(path: Path) -> int:
    """What `warcio check` would exit with."""

    class Options:
        inputs = (str(path),)
        verbose = True

    checker = Checker(Options())
    checker.process_all()
    return int(checker.exit_value)


def exchanged(url: str = "http://a.example/", body: bytes = b"<p>hello", **extra: str) -> tuple[Member, ...]:
    return warc.exchange(url, ASKED, HEAD, body, AT, metadata={"via": "http://b.example/"}, **extra)[0]


def good(path: Path) -> list[Record]:
    return [record for record in records(path) if isinstance(record, Record)]


def damage(path: Path) -> list[WarcDamage]:
    return [record for record in records(path) if isinstance(record, WarcDamage)]


def test_warcio_checks_every_kind_of_member_clean(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Digests of blocks and payloads hold in another implementation, for each kind of record."""
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    first = exchanged(ip="192.0.2.1", truncated="length")
    members = [
        warc.warcinfo("x.warc.gz", {"operator": "somebody"}, AT),
        *first,
        *warc.exchange("http://a.example/c", ASKED, chunked, b"5\r\nhello\r\n0\r\n\r\n", AT)[0],
        *warc.as_revisit(exchanged("http://a.example/copy"), HEAD, "http://a.example/", AT),
    ]
    path = written(tmp_path / "x.warc.gz", members)
    assert checked(path) == 0
    assert "digest failed" not in capsys.readouterr().out
    with path.open("rb") as stream:
        kinds = [record.rec_type for record in ArchiveIterator(stream)]
    assert kinds == [member.kind for member in members]
    assert kinds[-3:] == ["request", "revisit", "metadata"]


def test_the_check_would_notice_a_wrong_digest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The oracle is awake: a payload digest that is not the payload's fails."""
    bad = warc.response("http://a.example/", HEAD, b"hello", AT, digest=warc.sha1(b"goodbye"))
    assert checked(written(tmp_path / "x.warc.gz", [bad])) == 1


def test_an_exchange_names_its_parts() -> None:
    """Request and metadata point at the response, dates have microseconds, digests and cuts are stated."""
    members, digest = warc.exchange(
        "http://a.example/", ASKED, HEAD, b"hello", AT, metadata={"outcome": "ok"}, ip="::1", truncated="time"
    )
    asked, answer, about = (read(member.data) for member in members)
    assert isinstance(asked, Record)
    assert isinstance(answer, Record)
    assert isinstance(about, Record)
    assert digest == answer.headers["warc-payload-digest"] == "sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N"
    assert asked.headers["warc-concurrent-to"] == about.headers["warc-concurrent-to"] == answer.id
    assert answer.headers["warc-date"] == "2023-11-14T22:13:20.123456Z"
    assert answer.at == pytest.approx(AT, abs=1e-6)
    assert (answer.headers["warc-truncated"], answer.headers["warc-ip-address"]) == ("time", "::1")
    assert answer.block == HEAD + b"hello"
    assert about.block == b"outcome: ok\r\n"


def test_a_revisit_keeps_the_responses_identity_and_names_its_twin() -> None:
    """Only the last response of a redirect chain becomes a revisit; what points at it still does."""
    chain = exchanged("http://a.example/old") + exchanged("http://a.example/new")
    turned = warc.as_revisit(chain, HEAD, "http://a.example/first", AT - 60)
    assert turned[:4] == chain[:4]
    old, new = read(chain[4].data), read(turned[4].data)
    assert isinstance(old, Record)
    assert isinstance(new, Record)
    assert (new.kind, new.id, new.at, new.block) == ("revisit", old.id, old.at, HEAD)
    assert new.headers["warc-payload-digest"] == old.headers["warc-payload-digest"]
    assert new.headers["warc-refers-to-target-uri"] == "http://a.example/first"
    assert new.headers["warc-refers-to-date"] == "2023-11-14T22:12:20.123456Z"
    assert new.headers["warc-profile"].endswith("identical-payload-digest")


def test_no_value_can_start_a_new_header_line() -> None:
    """Line breaks in addresses and fields become spaces."""
    member = warc.metadata("http://a.example/\r\nWARC-Type: evil", {"via\n": "x\r\n\r\nWARC/1.1"}, AT)
    record = read(member.data)
    assert isinstance(record, Record)
    assert record.kind == "metadata"
    assert record.block.count(b"\n") == 1


@settings(max_examples=50, deadline=None)
@given(bodies=st.lists(st.binary(max_size=2000), min_size=1, max_size=6), plain=st.booleans())
def test_what_was_written_is_read_back_by_offset(
    tmp_path_factory: pytest.TempPathFactory, bodies: list[bytes], plain: bool
) -> None:
    """Any bytes survive, each record stands where `records` says, and the records fill the file, compressed or not."""
    path = tmp_path_factory.mktemp("warc") / "x.warc"
    members = [warc.response(f"http://a.example/{i}", HEAD, body, AT) for i, body in enumerate(bodies)]
    path.write_bytes(b"".join(gzip.decompress(member.data) if plain else member.data for member in members))
    found = list(records(path))
    assert [record.block for record in found if isinstance(record, Record)] == [HEAD + body for body in bodies]
    with path.open("rb") as file:
        assert [read_at(file, record.offset, record.length) for record in found if isinstance(record, Record)] == found


def test_a_truncated_file_gives_all_it_has_and_says_so(tmp_path: Path) -> None:
    """Cut inside the third record, two come, and one damage names the place."""
    members = [warc.response(f"http://a.example/{i}", HEAD, b"x" * 500, AT) for i in range(3)]
    whole = b"".join(member.data for member in members)
    start = len(members[0].data) + len(members[1].data)
    for cut in range(start + 1, len(whole), 7):
        path = tmp_path / "x.warc.gz"
        path.write_bytes(whole[:cut])
        assert [record.url for record in good(path)] == ["http://a.example/0", "http://a.example/1"]
        assert [(found.offset, "truncated" in found.reason) for found in damage(path)] == [(start, True)]


@pytest.mark.parametrize("plain", [False, True])
def test_reading_goes_on_behind_damage(tmp_path: Path, plain: bool) -> None:
    """A record overwritten with rubbish costs that record only."""
    members = [warc.response(f"http://a.example/{i}", HEAD, bytes(range(256)) * 9, AT).data for i in range(4)]
    parts = [gzip.decompress(member) if plain else member for member in members]
    parts[1] = b"\x1f\x8b\x08rubbish" + b"\xff" * (len(parts[1]) - 14) + b"\r\n\r\n"
    path = tmp_path / "x.warc"
    path.write_bytes(b"".join(parts))
    assert [record.url[-1] for record in good(path)] == ["0", "2", "3"]
    assert [found.offset for found in damage(path)] == [len(parts[0])]


def test_a_flipped_bit_is_found_by_the_members_checksum(tmp_path: Path) -> None:
    """gzip's own checksum is verified."""
    data = bytearray(warc.response("http://a.example/", HEAD, b"a stored body " * 3, AT).data)
    data[-6] ^= 1
    path = tmp_path / "x.warc.gz"
    path.write_bytes(bytes(data))
    assert good(path) == []
    assert len(damage(path)) == 1


def test_records_sharing_one_member_are_named_with_the_fix(tmp_path: Path) -> None:
    """Such a file cannot be read by offset; the damage says how to mend it."""
    plain = b"".join(gzip.decompress(member.data) for member in exchanged())
    path = tmp_path / "x.warc.gz"
    path.write_bytes(gzip.compress(plain))
    assert good(path) == []
    assert "warcio recompress" in damage(path)[0].reason


def test_a_record_beyond_the_limit_is_passed_over(tmp_path: Path) -> None:
    """A bomb costs neither memory nor the records behind it."""
    bomb = warc.response("http://a.example/bomb", HEAD, bytes(RECORD_LIMIT + 1), AT, digest="sha1:x")
    path = written(tmp_path / "x.warc.gz", [bomb, warc.response("http://a.example/", HEAD, b"x", AT)])
    assert [record.url for record in good(path)] == ["http://a.example/"]
    assert "limit" in damage(path)[0].reason


@pytest.mark.parametrize(
    "rubbish", [b"", b"hello", b"\x1f\x8b\x08", b"\x1f\x8b\x08" * 100_000, b"WARC/1.0\n" * 100_000]
)
def test_rubbish_gives_no_records_and_takes_no_time(tmp_path: Path, rubbish: bytes) -> None:
    """Nothing raises, however the file begins."""
    path = tmp_path / "x.warc.gz"
    path.write_bytes(rubbish)
    started = time.perf_counter()
    assert good(path) == []
    assert bool(damage(path)) == bool(rubbish)
    assert time.perf_counter() - started < 5


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300))
def test_reading_never_raises(data: bytes) -> None:
    """Any bytes are a record or damage."""
    for start in (b"", b"\x1f\x8b\x08", b"WARC/1.0\r\n", b"WARC/1.0\r\nContent-Length: 5\r\n\r\n"):
        assert isinstance(read(start + data), Record | WarcDamage)


def test_dates_may_stop_early_or_have_fractions() -> None:
    """WARC 1.1 allows any prefix from the year on."""

    def at(text: str) -> float:
        record = read(f"WARC/1.1\r\nWARC-Date: {text}\r\nContent-Length: 0\r\n\r\n\r\n\r\n".encode())
        assert isinstance(record, Record)
        return record.at

    assert at("1997-01-01T00:00:00Z") == at("1997-01-01") == at("1997-01") == 852076800
    assert at("2023-11-14T22:13:20.5Z") == 1_700_000_000.5
    assert at("1997-13-01") == at("never") == 0


def test_a_common_crawl_file_is_read_whole(shared: Path) -> None:
    """A real capture: every record of the file, where warcio finds them too."""
    path = shared / "recordings" / "warc" / "whirlwind.warc.gz"
    found = good(path)
    assert [record.kind for record in found] == ["warcinfo", "request", "response", "metadata"]
    assert not damage(path)
    with path.open("rb") as stream:
        iterator = ArchiveIterator(stream)
        places = []
        for record in iterator:
            record.content_stream().read()
            places.append((iterator.get_record_offset(), iterator.get_record_length()))
    assert [(record.offset, record.length) for record in found] == places
    assert all(good(path.with_name(f"whirlwind.warc.{kind}.gz")) for kind in ("wat", "wet"))


def test_members_can_be_read_in_a_row_by_any_gzip_reader() -> None:
    """Concatenated members are one gzip stream."""
    members = exchanged()
    with gzip.open(io.BytesIO(b"".join(member.data for member in members))) as stream:
        assert stream.read().count(b"WARC/1.1\r\n") == len(members)
