"""XML from strangers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.services.xml import XmlError, parse


def test_names_carry_their_namespaces() -> None:
    """As ElementTree writes them, so that its searches work."""
    root = parse(b'<?xml version="1.0"?><a xmlns="urn:x" xml:lang="en"><b c="1">t&amp;u</b> tail</a>')
    assert (root.tag, root.attrib) == ("{urn:x}a", {"{http://www.w3.org/XML/1998/namespace}lang": "en"})
    found = root.find("{urn:x}b")
    assert found is not None and (found.text, found.tail, found.attrib) == ("t&u", " tail", {"c": "1"})


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "entities"),
        ('<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'.encode("utf-16"), "entities"),
        (b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', "entities"),
        (b"<a>" * 200 + b"</a>" * 200, "deeply"),
        (b"<a><b></a>", "well-formed"),
        (b"", "well-formed"),
        (b"<html><br></html>", "well-formed"),
        (b'<?xml version="1.0" encoding="klingon"?><a/>', "well-formed"),
    ],
)
def test_what_cannot_be_trusted_is_refused(body: bytes, why: str) -> None:
    """Entities in any encoding, bottomless nesting, and what is no XML."""
    with pytest.raises(XmlError, match=why):
        parse(body)


@given(st.binary(max_size=200) | st.text(alphabet="<>ab/!&;?='\" ", max_size=80).map(str.encode))
def test_nothing_but_an_xml_error_comes_out(body: bytes) -> None:
    """Any bytes are either a document or refused."""
    try:
        found = parse(body)
    except XmlError:
        return
    assert found is not None
