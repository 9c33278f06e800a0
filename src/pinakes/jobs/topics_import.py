"""`pinakes topics import`: a topics file made of a thesaurus or an outline."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pinakes.core.errors import PinakesError, unread
from pinakes.jobs.thesaurus import Concept, read_thesaurus
from pinakes.jobs.topics_file import MOST_BYTES, TopicEntry, load_topics_file


@dataclass(frozen=True, slots=True)
class ImportOptions:
    source: Path
    out: Path = Path("topics.toml")
    seeds: tuple[str, ...] = ()
    pages: int | None = None
    language: str = "en"
    leaves: bool = False
    """Only topics that have none below them; the others are named as parents."""
    force: bool = False
    """Write over a file that is there."""


def import_topics(options: ImportOptions) -> tuple[TopicEntry, ...]:
    """Write the topics file; answers its topics."""
    try:
        if options.source.stat().st_size > MOST_BYTES:
            raise PinakesError(f"{options.source} has more than {MOST_BYTES >> 20} MB; cut it to the part you want.")
        data = options.source.read_bytes()
    except OSError as error:
        raise unread(str(options.source), error) from None
    if options.out.exists() and not options.force:
        raise PinakesError(f"{options.out} is there already; name another file with --out, or give --force.")
    found = read_thesaurus(str(options.source), data)
    topics = _topics(found, options)
    if not topics:
        raise PinakesError(f"{options.source} has no topics: no SKOS concept with a label, and no line of an outline.")
    text = as_toml(topics, options.seeds, options.pages)
    unfinished = options.out.with_name(f"{options.out.name}.tmp")
    try:
        unfinished.write_text(text, "utf-8")
        unfinished.replace(options.out)
    except OSError as error:
        raise PinakesError(f"{options.out} cannot be written: {error.strerror or error}.") from None
    return load_topics_file(options.out).topics


def as_toml(topics: Sequence[TopicEntry], seeds: Sequence[str] = (), pages: int | None = None) -> str:
    """Topics as a person would write them down."""
    lines = [f"seeds = {_text(list(seeds))}"] if seeds else []
    lines += [f"pages = {pages}"] if pages else []
    for topic in topics:
        lines += ["", "[[topic]]", f"name = {_text(topic.name)}"]
        for key, value in (("description", topic.description), ("parent", topic.parent), ("query", topic.query)):
            lines += [f"{key} = {_text(value)}"] if value else []
        lines += [f"examples = {_text(list(topic.examples))}"] if topic.examples else []
    return "\n".join(lines).lstrip("\n") + "\n"


def _topics(found: Sequence[Concept], options: ImportOptions) -> list[TopicEntry]:
    by_key = {concept.key: concept for concept in found}
    labels = {concept.key: concept.label(options.language) for concept in found}
    twice = {label for label, count in Counter(labels.values()).items() if count > 1}
    names: dict[str, str] = {}
    for concept in found:
        label, above = labels[concept.key], labels.get(concept.broader, "")
        name = f"{above} / {label}" if label in twice and above else label
        while name in names.values():
            name = f"{name} *"
        names[concept.key] = name
    parents = {concept.broader for concept in found if concept.broader in by_key}
    return [
        TopicEntry(
            names[concept.key],
            concept.description(options.language),
            parent=names.get(concept.broader, "") if not _circular(concept, by_key) else "",
        )
        for concept in found
        if not options.leaves or concept.key not in parents
    ]


def _circular(concept: Concept, by_key: dict[str, Concept]) -> bool:
    """True when going up from a concept leads round to it again."""
    seen, key = {concept.key}, concept.broader
    while key in by_key:
        if key in seen:
            return key == concept.key
        seen.add(key)
        key = by_key[key].broader
    return False


def _text(value: object) -> str:
    """JSON's strings and lists are TOML's too, but for what JSON leaves unescaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
