"""Nothing but public hosts is dialled, whatever it is called."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.core.errors import PinakesError
from pinakes.core.page import Fetched, Link
from pinakes.formats.url import canonical
from pinakes.testing.wire import Asked, Wired, Write, page, wire
from pinakes.web.client import Timeouts
from pinakes.web.guard import parsed, public, refusal, split
from pinakes.web.http import LiveOptions, LiveWeb
from pinakes.web.manners import Pace
from pinakes.web.resolve import Address, NoAddressError, RefusedError, Resolver, Route, routes

CLOSED = """
0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1 127.8.9.10 168.63.129.16 169.254.0.1
169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1
198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
:: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe 64:ff9b::7f00:1 64:ff9b::169.254.169.254
64:ff9b:1::1 64:ff9b:1:a00:1:: 100::1 2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 2001:20::1
2001:db8::1 2002:7f00:1:: 2002:a00:1:: 2002:808:808:: 3ffe::1 3fff::1 fc00::1 fd00:ec2::254 fe80::1 fe80::1%eth0
febf::1 fec0::1 ff02::1 2600::5efe:10.0.0.1 2600::200:5efe:7f00:1
"""
OPEN = """
1.1.1.1 8.8.8.8 93.184.216.34 99.255.255.255 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1 168.63.129.17
169.253.1.1 172.15.255.255 172.32.0.1 192.0.1.1 193.0.0.1 198.17.255.255 198.20.0.1 223.255.255.255
2001:200::1 2001:4860:4860::8888 2606:2800:220:1::1 2a00::1 ::ffff:8.8.8.8 64:ff9b::808:808
"""


@pytest.mark.parametrize("address", CLOSED.split())
def test_addresses_that_are_not_global_are_refused(address: str) -> None:
    """Private, local, reserved, multicast, metadata, and IPv4 in every disguise of IPv6."""
    assert not public(address)


@pytest.mark.parametrize("address", OPEN.split())
def test_public_addresses_are_not(address: str) -> None:
    """The neighbours of the closed ranges are open."""
    assert public(address)


@given(st.ip_addresses(v=4))
def test_a_mapped_address_is_what_it_maps(address: object) -> None:
    """An IPv4 address and its IPv6 spellings fare alike."""
    assert public(str(address)) == public(f"::ffff:{address}") == public(f"64:ff9b::{address}")
    assert not public(f"::{address}")


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0x7f.0.0.1/",
        "http://0177.0.0.1/",
        "http://0/",
        "http://127.0.0.1./",
        "http://１２７.0.0.1/",
        "http://127。0。0。1/",
        "http://%31%32%37.0.0.1/",
        "http://user:password@127.0.0.1/",
        "http://good.example@127.0.0.1/",
        "http:\\\\127.0.0.1\\x",
        "http://[::1]/",
        "http://[0:0:0:0:0:0:0:1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]:8080/",
        "http://[64:ff9b::a9fe:a9fe]/latest/meta-data/",
        "http://169.254.169.254/latest/meta-data/",
        "http://0xa9fea9fe/latest/meta-data/",
        "https://10.0.0.1:8443/",
        "http://192.168.257/",
    ],
)
def test_no_spelling_gets_through(url: str) -> None:
    """Decimal, hexadecimal, octal, short, full-width, escaped, behind credentials: the same address."""
    address = canonical(url)
    assert address and refusal(address) == "address"
    assert refusal(address, allow_private=True) == ""


@given(st.integers(0, 2**32 - 1), st.sampled_from(["{}", "0x{:x}", "0{:o}"]))
def test_numbers_are_addresses(number: int, form: str) -> None:
    """A host written as one number is judged as the address it is."""
    address = canonical(f"http://{form.format(number)}/")
    assert (refusal(address) == "") == public(socket.inet_ntoa(number.to_bytes(4, "big")))


@pytest.mark.parametrize(("url", "why"), [("http://a.example:22/", "port"), ("https://a.example:25/", "port")])
def test_ports_of_other_services_are_refused(url: str, why: str) -> None:
    """What browsers refuse we refuse, also on private networks."""
    assert refusal(url) == why == refusal(url, allow_private=True)
    assert refusal("http://a.example:8080/") == refusal("http://a.example/") == ""


def test_an_address_is_taken_apart() -> None:
    """Scheme, host and port, with the scheme's own port where none is named."""
    assert split("http://a.example/x:y") == ("http", "a.example", 80)
    assert split("https://[2001:db8::1]:8443/") == ("https", "2001:db8::1", 8443)
    assert split("https://[2001:db8::1]/") == ("https", "2001:db8::1", 443)


class TestResolver:
    def ask(self, resolver: Resolver, host: str = "a.example", port: int = 80) -> list[tuple[str, int]]:
        async def run() -> list[tuple[str, int]]:
            try:
                return [tuple(found) for found in await resolver.resolve(host, port)]
            finally:
                await resolver.close()

        return asyncio.run(run())

    @pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1", "fd00::1"])
    def test_a_name_for_a_private_address_is_refused(self, address: str) -> None:
        """Names are judged by what they stand for."""
        with pytest.raises(RefusedError):
            self.ask(Resolver(lookup=lambda host: [address]))

    def test_of_several_addresses_only_the_public_ones_are_dialled(self) -> None:
        """A name that mixes a private address in gains nothing."""
        found = self.ask(Resolver(lookup=lambda host: ["10.0.0.1", "8.8.8.8", "::1", "2a00::1"]))
        assert found == [("8.8.8.8", 80), ("2a00::1", 80)]

    def test_private_names_are_allowed_when_asked(self) -> None:
        """For intranets."""
        assert self.ask(Resolver(allow_private=True, lookup=lambda host: ["10.0.0.1"])) == [("10.0.0.1", 80)]

    def test_a_name_without_an_address_is_named(self) -> None:
        """Whether it may have one soon is told apart."""

        def lookup(host: str) -> Sequence[str]:
            raise socket.gaierror(socket.EAI_AGAIN if host == "a.example" else socket.EAI_NONAME, "no")

        for host, temporary in (("a.example", True), ("b.example", False)):
            with pytest.raises(NoAddressError) as caught:
                self.ask(Resolver(lookup=lookup), host)
            assert caught.value.temporary == temporary

    def test_answers_are_kept_for_a_while(self) -> None:
        """One lookup serves many connections, and the next is checked like the first."""
        now, looked = [0.0], list[str]()

        def lookup(host: str) -> Sequence[str]:
            looked.append(host)
            return ["8.8.8.8"] if len(looked) == 1 else ["127.0.0.1"]

        async def run() -> None:
            resolver = Resolver(lookup=lookup, clock=lambda: now[0])
            for _ in range(3):
                await resolver.resolve("a.example", 80)
            assert len(looked) == 1
            now[0] = 301.0
            with pytest.raises(RefusedError):
                await resolver.resolve("a.example", 80)
            await resolver.close()

        asyncio.run(run())

    def test_the_last_check_is_at_the_socket(self) -> None:
        """Whatever led there, a private address gets no socket."""
        resolver = Resolver(routes=routes(["b.example=127.0.0.1:8000"]))

        def make(ip: str, port: int) -> None:
            resolver.socket(Address(ip, port)).close()

        make("8.8.8.8", 80)
        make("127.0.0.1", 8000)
        for ip, port in (("127.0.0.1", 80), ("10.0.0.1", 80), ("::1", 80), ("::ffff:127.0.0.1", 80)):
            with pytest.raises(RefusedError):
                make(ip, port)

    def test_routes_send_hosts_elsewhere(self) -> None:
        """The most particular one counts; `*` is for all, and lets nothing out past it."""
        table = routes(["*=127.0.0.1:8000", "*:443=127.0.0.1:8443", "b.example=10.0.0.9", "c.example=[::1]:81"])
        assert table["c.example"] == Route("::1", 81)
        for host, port, target in (
            ("a.example", 80, ("127.0.0.1", 8000)),
            ("a.example", 443, ("127.0.0.1", 8443)),
            ("B.example", 80, ("10.0.0.9", 80)),
        ):
            assert self.ask(Resolver(routes=table), host, port) == [target]
        with pytest.raises(RefusedError):
            Resolver(routes=table).socket(Address("8.8.8.8", 80))

    @pytest.mark.parametrize("text", ["", "a.example", "=1.2.3.4", "a=b", "a=1.2.3.4:x", "a=1.2.3.4:99999", "a=:80"])
    def test_a_route_that_makes_no_sense_is_said_to(self, text: str) -> None:
        """One sentence with the form it should have."""
        with pytest.raises(PinakesError, match="HOST=IP:PORT"):
            routes([text])


SECRET = page(b"<title>secret</title>")


def led_to(location: str) -> tuple[Fetched, Fetched | None, list[Asked]]:
    """What comes of a redirect: the answer, what is fetched where it leads, and what the server was asked."""

    async def run() -> tuple[Fetched, Fetched | None, list[Asked]]:
        async def say(asked: Asked, write: Write) -> bool:
            target = location.replace("PORT", str(wired.port))
            redirect = page(b"", f"Location: {target}", status="302 Found")
            await write(redirect if asked.host == "a.example" else SECRET)
            return True

        wired: Wired
        async with wire(say, robots=b"") as wired:
            options = LiveOptions(
                "someone@example.org",
                pace=Pace(delay=0, patience=0),
                timeouts=Timeouts(1.0, 1.0, 1.0, 5.0),
                resolve=(f"a.example=127.0.0.1:{wired.port}",),
            )
            # A name that was public when it was looked up first and is not any more.
            web = LiveWeb(options, lookup=lambda host: ["127.0.0.1"])
            try:
                first = await web.fetch(Link("http://a.example/"))
                hop = Link(first.hop, via=("http://a.example/",)) if first.hop else None
                return first, await web.fetch(hop) if hop else None, wired.asked
            finally:
                await web.close()

    return asyncio.run(run())


@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1:PORT/secret",
        "http://localhost:PORT/secret",
        "http://2130706433:PORT/secret",
        "http://0x7f.1:PORT/secret",
        "http://[::1]:PORT/secret",
        "http://[::ffff:127.0.0.1]:PORT/secret",
        "//0:PORT/secret",
        "http://rebound.example:PORT/secret",
        "http://169.254.169.254/latest/meta-data/iam/",
        "http://[fd00:ec2::254]/latest/meta-data/",
        "https://10.0.0.1/",
    ],
)
def test_a_redirect_inside_is_refused(location: str) -> None:
    """By every spelling and by name; and nothing is sent there, robots.txt not either."""
    _, second, asked = led_to(location)
    assert second is not None
    assert (second.page.error, second.page.title, second.record) == ("address", "", ())
    assert second.retry_at == 0
    assert {request.host for request in asked} == {"a.example"}


@pytest.mark.parametrize(
    "location",
    [
        "file:///etc/passwd",
        "data:text/html,<title>x</title>",
        "ftp://a.example/x",
        "s3://bucket/key",
        "javascript:alert(1)",
        "gopher://127.0.0.1:6379/_FLUSHALL",
        "  FILE:///etc/passwd",
    ],
)
def test_a_redirect_out_of_the_web_is_refused(location: str) -> None:
    """Only http and https are the web."""
    first, second, _ = led_to(location)
    assert (first.page.error, first.hop, second) == ("scheme", "", None)


def test_a_redirect_to_another_service_s_port_is_refused() -> None:
    """No HTTP is spoken to a mail server."""
    _, second, _ = led_to("http://a.example:25/")
    assert second is not None and second.page.error == "port"


def test_with_leave_private_hosts_are_asked() -> None:
    """`allow_private` is for intranets."""

    async def run() -> str:
        async def say(asked: Asked, write: Write) -> None:
            await write(SECRET)

        async with wire(say, robots=b"") as wired:
            options = LiveOptions("someone@example.org", pace=Pace(delay=0, patience=0), allow_private=True)
            web = LiveWeb(options)
            try:
                return (await web.fetch(Link(f"http://127.0.0.1:{wired.port}/"))).page.title
            finally:
                await web.close()

    assert asyncio.run(run()) == "secret"


def test_zones_do_not_confuse() -> None:
    """An address with a zone is the address."""
    assert parsed("fe80::1%eth0") == parsed("fe80::1")
