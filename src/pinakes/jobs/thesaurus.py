"""Topics out of what librarians have: SKOS thesauri (RDF/XML, or Turtle in its plain forms) and indented outlines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from pinakes.core.errors import PinakesError
from pinakes.services.xml import XmlError, parse

SKOS = "http://www.w3.org/2004/02/skos/core#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XML = "http://www.w3.org/XML/1998/namespace"
DESCRIBING = ("definition", "scopeNote", "description", "note")
"""What a concept is described by, the best first."""


@dataclass(slots=True)
class Concept:
    """A topic as a thesaurus has it."""

    key: str
    labels: dict[str, str] = field(default_factory=dict)
    """By language."""
    notes: dict[tuple[str, str], str] = field(default_factory=dict)
    """By kind and language."""
    broader: str = ""

    def label(self, language: str) -> str:
        return _in(self.labels, language)

    def description(self, language: str) -> str:
        for kind in DESCRIBING:
            if found := _in({lang: text for (name, lang), text in self.notes.items() if name == kind}, language):
                return found
        return ""


Triple = tuple[str, str, str, str]
"""Subject, predicate, object, and the language of a literal (`-` for a resource)."""


def read_thesaurus(name: str, data: bytes) -> list[Concept]:
    """Concepts of a file, by its looks: XML, Turtle, or an outline."""
    head = data[:2000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"<?xml") or head.startswith(b"<rdf:") or b"<rdf:RDF" in head:
        try:
            return concepts(_xml_triples(parse(data)))
        except XmlError as error:
            raise PinakesError(f"{name} cannot be read as RDF/XML: {error}.") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PinakesError(f"{name} is not UTF-8 text: {error}.") from None
    if re.search(r"(?mi)^\s*(@prefix|PREFIX)\s", text):
        return concepts(turtle_triples(name, text))
    return outline(name, text)


def concepts(triples: Iterator[Triple]) -> list[Concept]:
    """The SKOS concepts among triples, in the order they are first spoken of."""
    found: dict[str, Concept] = {}
    typed: set[str] = set()

    def one(key: str) -> Concept:
        return found.setdefault(key, Concept(key))

    for subject, predicate, value, language in triples:
        name = predicate.rsplit("#", 1)[-1].rsplit("/", 1)[-1]
        if predicate == f"{RDF}type" and value == f"{SKOS}Concept":
            typed.add(one(subject).key)
        elif name == "prefLabel":
            one(subject).labels.setdefault("" if language == "-" else language, " ".join(value.split()))
        elif name in DESCRIBING and language != "-":
            one(subject).notes.setdefault((name, language), " ".join(value.split()))
        elif name == "broader":
            one(subject).broader = one(subject).broader or value
        elif name == "narrower":
            one(value).broader = one(value).broader or subject
    return [concept for key, concept in found.items() if concept.labels and (key in typed or not typed)]


def outline(name: str, text: str) -> list[Concept]:
    """A line a topic, indented below its parent; `Name: description`, bullets and # remarks are understood."""
    found: list[Concept] = []
    above: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        bare = line.expandtabs(4)
        said = re.sub(r"^(?:[-*+•]|\d+(?:\.\d+)*[.)]?)\s+", "", bare.strip())
        if not said or said.startswith("#"):
            continue
        depth = len(bare) - len(bare.lstrip())
        while above and above[-1][0] >= depth:
            above.pop()
        if depth and not above and found:
            raise PinakesError(f"{name}, line {number}: this line stands less deep than its neighbours and below none.")
        label, _, description = said.partition(": ")
        concept = Concept(str(number), {"": label.strip()}, broader=above[-1][1] if above else "")
        if description.strip():
            concept.notes["definition", ""] = description.strip()
        found.append(concept)
        above.append((depth, concept.key))
    return found


def _in(texts: dict[str, str], language: str) -> str:
    """The text in a language, else in one without, else in any."""
    for lang, text in texts.items():
        if lang.lower().partition("-")[0] == language:
            return text
    return texts.get("", next(iter(texts.values()), ""))


# -- RDF/XML -------------------------------------------------------------------------------------------------------


def _xml_triples(root: Element) -> Iterator[Triple]:
    for element in root if root.tag == f"{{{RDF}}}RDF" else (root,):
        yield from _node(element, f"_:{id(element)}")


def _node(element: Element, blank: str) -> Iterator[Triple]:
    about = _about(element) or blank
    if element.tag != f"{{{RDF}}}Description":
        yield about, f"{RDF}type", _uri(element.tag), "-"
    for n, child in enumerate(element):
        predicate = _uri(child.tag)
        resource = child.get(f"{{{RDF}}}resource")
        nested = list(child)
        if resource is not None:
            yield about, predicate, resource, "-"
        elif nested:
            key = _about(nested[0]) or f"{about}/{n}"
            yield about, predicate, key, "-"
            yield from _node(nested[0], key)
        else:
            yield about, predicate, child.text or "", child.get(f"{{{XML}}}lang", "")


def _about(element: Element) -> str:
    return element.get(f"{{{RDF}}}about") or (f"#{i}" if (i := element.get(f"{{{RDF}}}ID")) else "")


def _uri(tag: str) -> str:
    return tag[1:].replace("}", "") if tag.startswith("{") else tag


# -- Turtle --------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"""(?P<space>\s+|\#[^\n]*)|<(?P<iri>[^<>"{}|^`\\\s]*)>
    |\"\"\"(?P<long>(?:[^"\\]|\\.|"(?!""))*)\"\"\"|"(?P<text>(?:[^"\\\n]|\\.)*)"|'(?P<single>(?:[^'\\\n]|\\.)*)'
    |@(?P<word>[A-Za-z]+(?:-[A-Za-z0-9]+)*)|\^\^(?P<typed>)|(?P<mark>[.;,\[\]()])
    |(?P<name>[\w-]*:(?:[\w%-]|\.(?=[\w%-]))*|_:\w+|[A-Za-z]+|[+-]?[\d.]*\d(?:[eE][+-]?\d+)?)""",
    re.VERBOSE | re.DOTALL,
)


def turtle_triples(name: str, text: str) -> Iterator[Triple]:
    """Triples of a Turtle file; blank nodes in brackets and collections are not understood, and say so."""
    tokens = _Tokens(name, text)
    prefixes: dict[str, str] = {}
    while (kind := tokens.kind) != "end":
        if (kind == "word" and tokens.value in ("prefix", "base")) or (
            kind == "name" and tokens.value.upper() in ("PREFIX", "BASE")
        ):
            sparql, which = kind == "name", tokens.value.lower()
            tokens.next()
            label = tokens.take("name").rstrip(":") if which == "prefix" else ""
            iri = tokens.take("iri")
            if which == "prefix":
                prefixes[label] = iri
            if not sparql:
                tokens.mark(".")
            continue
        subject = tokens.resource(prefixes)
        while True:
            predicate = tokens.resource(prefixes)
            while True:
                yield subject, predicate, *tokens.object(prefixes)
                if not tokens.is_mark(","):
                    break
            while tokens.is_mark(";"):
                pass
            if tokens.is_mark("."):
                break


class _Tokens:
    def __init__(self, name: str, text: str) -> None:
        self._name, self._text, self._at = name, text, 0
        self.kind, self.value = "", ""
        self.next()

    def next(self) -> None:
        while self._at < len(self._text):
            found = _TOKEN.match(self._text, self._at)
            if found is None:
                self._stop(f"'{self._text[self._at : self._at + 20]}' is not understood")
                return
            self._at = found.end()
            if found.lastgroup != "space":
                self.kind, self.value = str(found.lastgroup), found[str(found.lastgroup)]
                return
        self.kind, self.value = "end", ""

    def take(self, kind: str) -> str:
        if self.kind != kind:
            self._stop(f"'{self.value or self.kind}' stands where something else belongs")
        value = self.value
        self.next()
        return value

    def mark(self, sign: str) -> None:
        if not self.is_mark(sign):
            self._stop(f"'{self.value or self.kind}' stands where a '{sign}' belongs")

    def is_mark(self, sign: str) -> bool:
        if self.kind == "mark" and self.value == sign:
            self.next()
            return True
        return False

    def resource(self, prefixes: dict[str, str]) -> str:
        if self.kind == "iri":
            return self.take("iri")
        value = self.take("name")
        if value == "a":
            return f"{RDF}type"
        prefix, colon, local = value.partition(":")
        if not colon or (prefix != "_" and prefix not in prefixes):
            self._stop(f"'{value}' has no prefix that is known")
        return value if prefix == "_" else prefixes[prefix] + local

    def object(self, prefixes: dict[str, str]) -> tuple[str, str]:
        if self.kind in ("long", "text", "single"):
            value = re.sub(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", _unescaped, self.take(self.kind))
            if self.kind == "word":
                return value, self.take("word")
            if self.kind == "typed":
                self.next()
                self.resource(prefixes)
            return value, ""
        if self.kind == "name" and ":" not in self.value:
            return self.take("name"), ""
        return self.resource(prefixes), "-"

    def _stop(self, what: str) -> None:
        line = self._text.count("\n", 0, self._at) + 1
        raise PinakesError(f"{self._name}, line {line}: {what}; convert the file to RDF/XML, or write an outline.")


def _unescaped(found: re.Match[str]) -> str:
    code = found[1]
    if len(code) > 1:
        number = int(code[1:], 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
    return {"n": "\n", "t": "\t", "r": "\r"}.get(code, code)
