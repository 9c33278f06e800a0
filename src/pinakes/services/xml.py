"""XML from strangers: without entities, and no deeper than real documents are."""

from __future__ import annotations

from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

_DEEPEST = 100
_FORBIDDEN = bytes({*range(0x20)} - {0x09, 0x0A, 0x0D})


class XmlError(ValueError):
    """The document cannot be read; a few words say why."""


def parse(body: bytes) -> Element:
    """The root element, names in the form `{namespace}name`. A document that declares entities is refused."""
    tree = TreeBuilder()
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise XmlError("it is nested too deeply")
        tree.start(_name(name), {_name(key): value for key, value in attributes.items()})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        tree.end(_name(name))

    def entity(*_: object) -> None:
        raise XmlError("it declares entities")

    if not body.startswith((b"\xff\xfe", b"\xfe\xff")):
        body = body.translate(None, _FORBIDDEN)  # repositories pass on control characters from their catalogues
    reader = expat.ParserCreate(namespace_separator="}")
    reader.buffer_text = True
    reader.StartElementHandler, reader.EndElementHandler, reader.CharacterDataHandler = start, end, tree.data
    reader.EntityDeclHandler = entity
    try:
        reader.Parse(body, True)
        root = tree.close()
    except (expat.ExpatError, AssertionError, LookupError) as error:
        raise XmlError(f"it is not well-formed ({error})") from None
    return root


def _name(name: str) -> str:
    return "{" + name if "}" in name else name
