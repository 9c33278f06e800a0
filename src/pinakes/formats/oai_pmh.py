"""Answers of an OAI-PMH 2.0 provider, as XML: what stands round the records, whatever was asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from pinakes.formats.dublin_core import DC, OAI_DC
from pinakes.formats.item import clean, stamp

NAMESPACE = "http://www.openarchives.org/OAI/2.0/"
SCHEMA = "http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd"
_IDENTIFIER = "http://www.openarchives.org/OAI/2.0/oai-identifier"


@dataclass(frozen=True, slots=True)
class Header:
    """What is told of a record before its metadata."""

    identifier: str
    stamp: float
    sets: tuple[str, ...] = ()
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class Repository:
    """Who answers."""

    name: str
    base_url: str
    domain: str
    """What stands between `oai:` and a record's own name."""
    email: str
    earliest: float


def answer(base_url: str, at: float, asked: Mapping[str, str], body: str) -> str:
    """A whole answer. `asked` are the arguments that were understood; none after a bad verb or argument."""
    attributes = "".join(f" {name}={quoteattr(clean(value))}" for name, value in asked.items())
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<OAI-PMH xmlns="{NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
        f' xsi:schemaLocation="{NAMESPACE} {SCHEMA}">'
        f"<responseDate>{stamp(at)}</responseDate><request{attributes}>{escape(base_url)}</request>\n{body}\n</OAI-PMH>\n"
    )


def error(code: str, sentence: str) -> str:
    return f"<error code={quoteattr(code)}>{escape(sentence)}</error>"


def identify(one: Repository) -> str:
    return (
        f"<Identify><repositoryName>{escape(one.name)}</repositoryName><baseURL>{escape(one.base_url)}</baseURL>"
        f"<protocolVersion>2.0</protocolVersion><adminEmail>{escape(one.email)}</adminEmail>"
        f"<earliestDatestamp>{stamp(one.earliest)}</earliestDatestamp><deletedRecord>persistent</deletedRecord>"
        "<granularity>YYYY-MM-DDThh:mm:ssZ</granularity><description>"
        f'<oai-identifier xmlns="{_IDENTIFIER}" xsi:schemaLocation="{_IDENTIFIER} {_IDENTIFIER}.xsd">'
        f"<scheme>oai</scheme><repositoryIdentifier>{escape(one.domain)}</repositoryIdentifier>"
        f"<delimiter>:</delimiter><sampleIdentifier>oai:{escape(one.domain)}:{'0' * 24}</sampleIdentifier>"
        "</oai-identifier></description></Identify>"
    )


def metadata_formats() -> str:
    return (
        "<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix>"
        "<schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</schema>"
        f"<metadataNamespace>{OAI_DC}</metadataNamespace></metadataFormat></ListMetadataFormats>"
    )


def list_sets(sets: Iterable[tuple[str, str, str]], token: str = "") -> str:
    """Of each its spec, name and description."""
    return f"<ListSets>{''.join(map(_set, sets))}{token}</ListSets>"


def _set(one: tuple[str, str, str]) -> str:
    spec, name, description = one
    told = (
        f'<setDescription><oai_dc:dc xmlns:oai_dc="{OAI_DC}" xmlns:dc="{DC}"'
        f' xsi:schemaLocation="{OAI_DC} http://www.openarchives.org/OAI/2.0/oai_dc.xsd">'
        f"<dc:description>{escape(clean(description))}</dc:description></oai_dc:dc></setDescription>"
        if clean(description)
        else ""
    )
    return f"<set><setSpec>{escape(spec)}</setSpec><setName>{escape(clean(name) or spec)}</setName>{told}</set>"


def header(one: Header) -> str:
    deleted = ' status="deleted"' if one.deleted else ""
    sets = "".join(f"<setSpec>{escape(spec)}</setSpec>" for spec in one.sets)
    return (
        f"<header{deleted}><identifier>{escape(one.identifier)}</identifier>"
        f"<datestamp>{stamp(one.stamp)}</datestamp>{sets}</header>"
    )


def record(one: Header, metadata: str) -> str:
    """A deleted record has no metadata."""
    return f"<record>{header(one)}{'' if one.deleted else f'<metadata>{metadata}</metadata>'}</record>\n"


def resumption_token(token: str, cursor: int, size: int, expires: float) -> str:
    """The last page of a list has an empty one."""
    until = f' expirationDate="{stamp(expires)}"' if token else ""
    return f'<resumptionToken{until} completeListSize="{size}" cursor="{cursor}">{escape(token)}</resumptionToken>'
