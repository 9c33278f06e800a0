"""`topics.toml`: the topics to collect, as a person writes them.

    seeds = ["http://example.org/"]
    pages = 3000

    [[topic]]
    name = "Birds"
    description = "Birds of the world: species, plumage, nesting, migration."
    examples = ["http://example.org/owl.html"]
    parent = "Animals"

A mistake is told with the line it stands on.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec

from pinakes.core.errors import PinakesError, unread
from pinakes.core.page import Topic
from pinakes.formats.url import canonical

MOST_BYTES = 16 << 20


class TopicEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One topic."""

    name: str
    description: str = ""
    examples: tuple[str, ...] = ()
    """Addresses, or files relative to the topics file."""
    parent: str = ""
    seeds: tuple[str, ...] = ()
    query: str = ""
    """What to ask the search engine, where the name is not the best question."""

    @property
    def topic(self) -> Topic:
        return Topic(self.name, self.description, self.parent)


class StrategyEntry(msgspec.Struct, frozen=True):
    """`[strategy]`: its name; everything else is a parameter of it."""

    name: str = ""


class CollectionSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[collections]`: how the ranked lists are made."""

    size: int | None = None
    per_host: int | None = None
    expository: bool | None = None


class TopicsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"topics": "topic"}):
    """The whole file."""

    topics: tuple[TopicEntry, ...] = ()
    seeds: tuple[str, ...] = ()
    pages: int | None = None
    strategy: dict[str, Any] = {}
    judge: dict[str, Any] = {}
    collections: CollectionSettings = CollectionSettings()
    ignore: tuple[str, ...] = ()
    """Places to keep out of: a stop list of addresses."""
    allow: tuple[str, ...] = ()

    def query(self, entry: TopicEntry) -> str:
        """What to ask a search engine for a topic: its parent's name joins its own (000 §4: `basic linear algebra
        graphing equations`)."""
        return entry.query or f"{entry.parent} {entry.name}".strip()

    def part(self, table: str) -> tuple[str, dict[str, Any]]:
        """The name and the parameters that `[strategy]` or `[judge]` gives."""
        given = dict(self.strategy if table == "strategy" else self.judge)
        return str(given.pop("name", "")), given


def load_topics_file(path: Path) -> TopicsFile:
    """Read a topics file; one sentence says what is wrong with a bad one, and where."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise unread(f"The topics file {path}", error) from None
    if len(data) > MOST_BYTES:
        raise PinakesError(f"{path} has more than {MOST_BYTES >> 20} MB; split it into several topics files.")
    try:
        text = data.decode("utf-8-sig")
        plain = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise PinakesError(f"{path} is not TOML: {error}.") from None
    try:
        found = msgspec.convert(plain, TopicsFile)
    except msgspec.ValidationError as error:
        raise PinakesError(_complaint(path, text, str(error))) from None
    _check(found, path, text)
    return _relative(found, path.absolute().parent)


def _check(file: TopicsFile, path: Path, text: str) -> None:
    def stop(what: str, topic: int = -1, key: str = "") -> None:
        line = _line(text, topic, key)
        raise PinakesError(f"{path}, line {line}: {what}" if line else f"{path}: {what}")

    if not file.topics:
        stop('there is no topic; write [[topic]] and, below it, name = "…".')
    if file.pages is not None and file.pages < 1:
        stop(f"pages = {file.pages} finds nothing; give a number from 1 on.", key="pages")
    seen: set[str] = set()
    for n, topic in enumerate(file.topics):
        if not topic.name.strip():
            stop(f"topic {n + 1} has an empty name.", n, "name")
        if topic.name in seen:
            stop(f"there are two topics named '{topic.name}'; give each a name of its own.", n, "name")
        seen.add(topic.name)
        for key, given in (("seeds", topic.seeds),):
            for url in given:
                if not canonical(url):
                    stop(f"the seed {url[:200]} is not a web address; write it like http://example.org/.", n, key)
    for url in file.seeds:
        if not canonical(url):
            stop(f"the seed {url[:200]} is not a web address; write it like http://example.org/.", key="seeds")
    above = {topic.name: topic.parent for topic in file.topics}
    for n, topic in enumerate(file.topics):
        name, path_up = topic.parent, {topic.name}
        while name in above:
            if name in path_up:
                stop(f"'{topic.name}' is its own ancestor; mend its parent.", n, "parent")
            path_up.add(name)
            name = above[name]
    size = file.collections.size
    if size is not None and size < 1:
        stop(f"a collection of {size} pages is none; give size a number from 1 on.", key="size")
    if file.collections.per_host is not None and file.collections.per_host < 1:
        stop("per_host must be 1 or more.", key="per_host")


def _relative(file: TopicsFile, folder: Path) -> TopicsFile:
    """Example files stand beside the topics file."""

    def placed(name: str) -> str:
        return name if canonical(name) else str(folder / Path(name).expanduser())

    topics = tuple(
        msgspec.structs.replace(
            topic,
            name=topic.name.strip(),
            parent=topic.parent.strip(),
            examples=tuple(dict.fromkeys(map(placed, topic.examples))),
        )
        for topic in file.topics
    )
    return msgspec.structs.replace(file, topics=topics)


def _complaint(path: Path, text: str, error: str) -> str:
    """msgspec's complaint in the words of the file: the topic and key it means, and their line."""
    what, _, place = error.partition(" - at `")
    topic, key = -1, ""
    for part in re.findall(r"\.([A-Za-z_]+)|\[(\d+)\]", place):
        key = part[0] or key
        if part[1] and key == "topic":
            topic, key = int(part[1]), ""
    unknown = re.search(r"unknown field `([^`]*)`", what)
    missing = re.search(r"missing required field `([^`]*)`", what)
    if unknown:
        meaning, key = f"there is no setting '{unknown[1]}' here", unknown[1]
    elif missing:
        meaning, key = f"topic {topic + 1} has no {missing[1]}", ""
    else:
        meaning = f"{key or 'a value'}: {what[:1].lower()}{what[1:]}".replace("`", "'")
    line = _line(text, topic, key)
    return f"{path}, line {line}: {meaning}." if line else f"{path}: {meaning}."


def _line(text: str, topic: int, key: str) -> int:
    """The line of a key, in the topic of that number or before all topics; 0 when it is not to be seen."""
    number, header = -1, 0
    for n, line in enumerate(text.splitlines(), 1):
        bare = line.strip()
        if re.match(r"\[\[\s*topic\s*\]\]", bare):
            number += 1
            header = n if number == topic else header
        if (number == topic or (topic < 0)) and key and re.match(rf"[\"']?{re.escape(key)}[\"']?\s*=", bare):
            return n
    return header
