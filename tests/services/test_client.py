"""The client all services share, over a real connection."""

from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pinakes import __version__
from pinakes.core.errors import PinakesError
from pinakes.services.client import LIMIT, TRIES, Service
from pinakes.services.door import Services
from pinakes.services.errors import ServiceError

KEY = "s3cret/key+value"


class Thing(msgspec.Struct):
    name: str


def failing(loopback: Any, script: Any, path: str = "/thing", **service: Any) -> tuple[ServiceError, Any]:
    """The error an answer becomes, and the bench it happened on."""

    async def use(bench: Any) -> Any:
        with pytest.raises(ServiceError) as raised:
            await bench.client(**service).json(path, {}, Thing)
        return raised.value, bench

    return loopback.run(script, use)


def test_an_answer_is_typed_data(loopback: Any) -> None:
    """The path is added to the base, the query is encoded, and who asks is said."""

    async def use(bench: Any) -> Any:
        thing = await bench.client("http://api.example/v1/").json("/things/a%2Fb", {"q": "x y&z", "n": "1"}, Thing)
        return thing, bench.wired.asked, bench.services.calls

    thing, (asked,), calls = loopback.run([loopback.said({"name": "owl", "more": [1]})], use)
    assert thing == Thing("owl")
    assert (asked.method, asked.host, asked.target) == ("GET", "api.example", "/v1/things/a%2Fb?q=x%20y%26z&n=1")
    assert asked.headers["user-agent"].startswith(f"Pinakes/{__version__} (+https://")
    assert "mailto:someone@example.org" in asked.headers["user-agent"]
    assert asked.headers["from"] == "someone@example.org"
    assert calls == {"Example": 1}


def test_nobody_asks_without_saying_who() -> None:
    """A contact is wanted before anything else."""
    with pytest.raises(PinakesError, match="contact"):
        Services("")


def test_the_address_of_a_service_must_be_one() -> None:
    """A mistake in the configuration is told at the start."""
    services = Services("someone@example.org")
    for url in ("", "api.example", "ftp://api.example", "http://api.example/?x=1"):
        with pytest.raises(PinakesError, match=r"Example in pinakes\.toml"):
            services.client(Service("Example", url))


def test_services_do_not_lead_into_the_private_network(loopback: Any) -> None:
    """Not by their address, not by a redirect; only when it is allowed."""

    async def use(bench: Any) -> Any:
        for allowed in (False, True):
            services = Services("someone@example.org", allow_private=allowed)
            try:
                service = Service("Example", f"http://127.0.0.1:{bench.wired.port}")
                thing = await services.client(service).json("/", {}, Thing)
            except ServiceError as error:
                assert (error.outcome, bench.targets, allowed) == ("address", [], False)
            finally:
                await services.close()
        return thing

    assert loopback.run([loopback.said({"name": "owl"})], use) == Thing("owl")
    inside = loopback.Said(b"", 302, headers=["Location: http://169.254.169.254/latest"])
    error, bench = failing(loopback, [inside])
    assert error.outcome == "address"
    assert len(bench.wired.asked) == 1


# -- what is no answer -----------------------------------------------------------------------------------------------


def test_an_unknown_doi_is_not_found_although_it_comes_as_html(loopback: Any, recordings: Path) -> None:
    """OpenAlex's real answer: 404 with an HTML page, which must not be read as JSON."""
    script = loopback.replay(recordings / "openalex" / "work_by_doi_select_not-in-openalex.json")

    async def use(bench: Any) -> str:
        client = bench.client("http://api.openalex.org")
        with pytest.raises(ServiceError) as raised:
            doi = "https://doi.org/10.1046%2Fj.1365-2699.2003.00795"
            await client.json(f"/works/{doi}", {"select": "open_access,doi"}, Thing)
        assert client.calls == 1
        return raised.value.outcome

    assert loopback.run(script, use) == "not-found"


def test_a_refusal_quotes_the_service(loopback: Any, recordings: Path) -> None:
    """Semantic Scholar's real 400 says what it did not like, and is not tried again."""
    script = loopback.replay(recordings / "semantic-scholar" / "bad_query_parameters.json")

    async def use(bench: Any) -> Any:
        client = bench.client("http://api.semanticscholar.org/graph/v1")
        with pytest.raises(ServiceError) as raised:
            await client.json("/paper/10.1093/mind/lix.236.433", {"fields": "unknown"}, Thing)
        return raised.value, client.calls

    error, calls = loopback.run(script, use)
    assert (error.outcome, calls) == ("client-error", 1)
    assert str(error) == "Example answered 400, “Unrecognized or unsupported fields: [unknown]”."


def test_a_challenge_is_recognised_and_the_service_left_alone(loopback: Any, recordings: Path) -> None:
    """dblp's real page (status 500), and the same with 200: said once asked, and no second request made."""
    recorded = loopback.replay(recordings / "dblp" / "bot_challenge_excerpt.json")

    async def use(bench: Any) -> Any:
        client = bench.client("http://dblp.org")
        asked = client.json("/search/publ/api", {"q": "Teso Kersting", "format": "json", "h": "2"}, Thing)
        with pytest.raises(ServiceError, match="human"):
            await asked
        with pytest.raises(ServiceError, match="human") as raised:
            await client.json("/other", {}, Thing)
        return raised.value.outcome, client.calls

    assert loopback.run(recorded, use) == ("challenge", 1)
    with_success = lambda asked: recorded(asked)._replace(status=200)  # noqa: E731
    assert loopback.run(with_success, use) == ("challenge", 1)


@pytest.mark.parametrize(
    ("status", "tries", "outcome"),
    [
        (400, 1, "client-error"),
        (401, 1, "forbidden"),
        (403, 1, "forbidden"),
        (404, 1, "not-found"),
        (410, 1, "not-found"),
        (451, 1, "forbidden"),
        (501, 1, "server-error"),
        (408, TRIES, "client-error"),
        (425, TRIES, "client-error"),
        (429, TRIES, "rate-limited"),
        (500, TRIES, "server-error"),
        (502, TRIES, "server-error"),
        (503, TRIES, "server-error"),
        (504, TRIES, "server-error"),
    ],
)
def test_only_what_may_pass_is_tried_again(loopback: Any, status: int, tries: int, outcome: str) -> None:
    """And not for ever."""
    error, bench = failing(loopback, [loopback.said({}, status)])
    assert (error.outcome, len(bench.wired.asked)) == (outcome, tries)


def test_another_try_may_succeed(loopback: Any) -> None:
    """After the wait the service asks for, which everybody keeps."""

    async def use(bench: Any) -> Any:
        return await bench.client().json("/thing", {}, Thing), bench.clock.slept, bench.services.calls

    script = [loopback.said({}, 429, "Retry-After: 11"), loopback.said({}, 502), loopback.said({"name": "owl"})]
    thing, slept, calls = loopback.run(script, use)
    assert (thing, calls) == (Thing("owl"), {"Example": 3})
    assert slept[0] == pytest.approx(11)
    assert 0 <= sum(slept[1:]) < 5


def test_a_service_that_wants_an_hours_rest_is_not_waited_for(loopback: Any) -> None:
    """The sentence says so, and the next caller hears the same without a request."""
    error, bench = failing(loopback, [loopback.said({}, 429, "Retry-After: 3600")])
    assert (error.outcome, len(bench.wired.asked), bench.clock.slept) == ("rate-limited", 1, [])
    assert str(error) == "Example wants no more calls for now; it is left alone for 60 min."


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ((b"<html>hello", 200, "text/html"), "bad-response"),
        ((b"not json", 200, "application/json"), "bad-response"),
        ((b'{"name": 1}', 200, "application/json"), "bad-response"),
        ((b"[" * 100_000, 200, "application/json"), "bad-response"),
        ((b'{"name": "\xff"}', 200, "application/json"), "bad-response"),
        ((b"", 200, "application/json"), "bad-response"),
        ((b"", 302, "application/json"), "bad-redirect"),
        ((b"null", 500, "application/json"), "server-error"),
        ((b"[" * 100_000, 404, "application/json"), "not-found"),
    ],
)
def test_bad_answers_have_names(loopback: Any, answer: Any, outcome: str) -> None:
    """Nothing a service sends is more than a named error."""
    error, _ = failing(loopback, [loopback.Said(*answer)])
    assert error.outcome == outcome
    assert str(error).startswith("Example ") and str(error).endswith(".")


@pytest.mark.parametrize(("dispensable", "tries"), [(False, TRIES), (True, 1)])
def test_nobody_at_home(loopback: Any, dispensable: bool, tries: int) -> None:
    """A service that cannot be reached is tried a few times, unless one can do without it."""

    async def use(bench: Any) -> Any:
        services = Services("a@b.c", resolve=["*=127.0.0.1:9"], clock=bench.clock, sleep=bench.clock.sleep)
        client = services.client(Service("Example", "http://api.example", dispensable=dispensable))
        with pytest.raises(ServiceError) as raised:
            await client.json("/", {}, Thing)
        await services.close()
        return raised.value, client.calls

    error, calls = loopback.run([loopback.said({})], use)
    assert (error.outcome, calls) == ("connection", tries)
    assert str(error) == "Example could not be asked (the connection was refused or broke)."


def test_answers_are_bounded(loopback: Any) -> None:
    """By their size on the wire, by their size unpacked, and bombs are not unpacked at all."""
    large = b'{"name":"' + b"x" * LIMIT + b'"}'
    assert failing(loopback, [loopback.Said(large)])[0].outcome == "too-large"
    packed = gzip.compress(json.dumps({"name": "owl"}).encode())

    async def use(bench: Any) -> Any:
        return await bench.client().json("/", {}, Thing)

    zipped = ["Content-Encoding: gzip"]
    assert loopback.run([loopback.Said(packed, headers=zipped)], use) == Thing("owl")
    bomb = gzip.compress(bytes(4 * LIMIT))
    assert failing(loopback, [loopback.Said(bomb, headers=zipped)])[0].outcome == "bomb"


# -- keys ------------------------------------------------------------------------------------------------------------


def test_keys_are_sent_and_never_shown(loopback: Any) -> None:
    """Not in the record of the service, not in an error, not even when the service itself repeats them."""
    service = {"query": {"api_key": KEY}, "headers": {"x-api-key": KEY}}
    echo = loopback.said({"message": f"the key {KEY} (s3cret%2Fkey%2Bvalue) is not known"}, 403)
    error, bench = failing(loopback, [echo], **service)
    (asked,) = bench.wired.asked
    assert bench.queries() == [{"api_key": KEY}]
    assert asked.headers["x-api-key"] == KEY
    assert str(error).startswith("Example answered 403, “the key … (…) is not known”; check the key")
    shown = repr(Service("Example", "http://api.example", **service)) + str(error) + repr(error)
    assert "s3cret" not in shown
    error, _ = failing(loopback, [loopback.said({}, 500)], **service)
    assert "api_key" not in str(error) and "?" not in str(error)


def test_keys_stay_with_the_service(loopback: Any) -> None:
    """A redirect on the same host keeps them, one to another host does not get them."""
    service = {"query": {"api_key": KEY}, "headers": {"x-api-key": KEY}}

    def say(asked: Any) -> Any:
        if asked.host == "other.example":
            return loopback.said({"name": "owl"})
        if asked.target.startswith("/merged"):
            return loopback.Said(b"", 302, headers=["Location: http://other.example/thing"])
        return loopback.Said(b"", 301, headers=["Location: /merged?select=id"])

    async def use(bench: Any) -> Any:
        await bench.client(**service).json("/thing", {}, Thing)
        return bench.queries(), [asked.headers.get("x-api-key") for asked in bench.wired.asked]

    queries, headers = loopback.run(say, use)
    assert queries == [{"api_key": KEY}, {"select": "id", "api_key": KEY}, {}]
    assert headers == [KEY, KEY, None]


def test_redirects_end(loopback: Any) -> None:
    """A loop is a named error."""
    error, bench = failing(loopback, [loopback.Said(b"", 301, headers=["Location: /thing"])])
    assert (error.outcome, len(bench.wired.asked)) == ("too-many-redirects", 6)


# -- sharing ---------------------------------------------------------------------------------------------------------


def test_the_same_question_is_asked_once(loopback: Any) -> None:
    """Good answers and missing records are remembered; failures are not."""

    async def use(bench: Any) -> Any:
        client = bench.client()
        assert bench.services.client(Service("Example", "http://api.example")) is client
        first, second = [await client.json("/a", {"q": "1"}, Thing) for _ in range(2)]
        assert first == second
        for _ in range(2):
            with pytest.raises(ServiceError):
                await client.json("/gone", {}, Thing)
        for _ in range(2):
            with pytest.raises(ServiceError):
                await client.json("/bad", {}, Thing)
        return bench.targets

    def say(asked: Any) -> Any:
        status = {"/gone": 404, "/bad": 400}.get(asked.target, 200)
        return loopback.said({"name": "owl"}, status)

    assert loopback.run(say, use) == ["/a?q=1", "/gone", "/bad", "/bad"]


def test_memory_of_answers_is_bounded(loopback: Any) -> None:
    """By bytes as well as by number; the oldest is forgotten first."""

    async def use(bench: Any) -> Any:
        client = bench.client()
        for n in range(6):
            await client.json("/a", {"n": str(n)}, Thing)
        before = client.calls
        await client.json("/a", {"n": "5"}, Thing)
        assert client.calls == before
        await client.json("/a", {"n": "0"}, Thing)
        return client.calls - before

    assert loopback.run([loopback.said({"name": "x" * (10 << 20)})], use) == 1


def test_a_budget_is_not_exceeded(loopback: Any) -> None:
    """What costs more than is left is not asked, and free calls still are."""

    async def use(bench: Any) -> Any:
        client = bench.client(budget=0.0002)
        for n in range(2):
            await client.json("/list", {"n": str(n)}, Thing, cost=0.0001)
        with pytest.raises(ServiceError, match="budget") as raised:
            await client.json("/list", {"n": "2"}, Thing, cost=0.0001)
        await client.json("/single", {}, Thing)
        return raised.value.outcome, client.calls

    assert loopback.run([loopback.said({"name": "owl"})], use) == ("budget", 3)


def test_callers_share_the_pace(loopback: Any) -> None:
    """Calls made at once are a gap apart, and a header of the service widens it for all."""

    async def use(bench: Any) -> Any:
        client = bench.client(gap=2.0)
        await asyncio.gather(*(client.json("/a", {"n": str(n)}, Thing) for n in range(4)))
        return bench.clock.slept

    assert loopback.run([loopback.said({"name": "owl"})], use) == pytest.approx([2, 2, 2])
    pace = ("x-rate-limit-limit: 1", "x-rate-limit-interval: 10s")
    assert loopback.run([loopback.said({"name": "owl"}, 200, *pace)], use) == pytest.approx([2, 10, 10])


# -- XML -------------------------------------------------------------------------------------------------------------


def test_xml_is_read_also_from_an_error_that_carries_it(loopback: Any) -> None:
    """Zenodo sends OAI errors with 422; where that is expected the document is what counts."""
    oai = loopback.Said(b'<OAI-PMH><error code="badArgument"/></OAI-PMH>', 422, "text/xml; charset=utf-8")

    async def use(bench: Any) -> Any:
        root = await bench.client().xml("/oai2d", {"verb": "Identify"}, errors=(400, 404, 422))
        with pytest.raises(ServiceError) as raised:
            await bench.client().xml("/oai2d", {"verb": "Identify"})
        return root.find("error").attrib, raised.value.outcome

    assert loopback.run([oai], use) == ({"code": "badArgument"}, "client-error")

    async def refused(bench: Any) -> Any:
        with pytest.raises(ServiceError) as raised:
            await bench.client().xml("/", {}, errors=(422,))
        return raised.value.outcome

    bomb = loopback.Said(b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', 200, "application/xml")
    assert loopback.run([bomb], refused) == "bad-response"
    assert loopback.run([loopback.Said(b"<html>", 422, "text/html")], refused) == "client-error"
