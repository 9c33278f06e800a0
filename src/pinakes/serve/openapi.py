"""The REST interface, described for programs in OpenAPI 3.1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from pinakes import __version__
from pinakes.serve.endpoints import Endpoint, Parameter, Trouble

REASONS = {
    400: "What was asked cannot be understood, or cannot be; `error` says why.",
    401: "Writing needs the token, as `Authorization: Bearer TOKEN`.",
    403: "Another site may not write here.",
    404: "There is no such thing in the library.",
    409: "A job is writing to the library now.",
    413: "Too much was sent.",
    503: "The library's files cannot be read or written just now.",
}
_REF = "#/components/schemas/{name}"


def describe(endpoints: Sequence[Endpoint], title: str, server: str) -> dict[str, Any]:
    """The whole description."""
    types = [Trouble, *(one.answer for one in endpoints if one.answer is not None)]
    types += [one.body for one in endpoints if one.body is not None]
    schemas, components = msgspec.json.schema_components(types, ref_template=_REF)
    by_type = dict(zip(map(repr, types), schemas, strict=True))
    for one in endpoints:
        if one.body is not None:  # a field that is none is refused
            components[by_type[repr(one.body)]["$ref"].rpartition("/")[2]]["additionalProperties"] = False
    paths: dict[str, dict[str, Any]] = {}
    for one in endpoints:
        paths.setdefault(one.path, {})[one.method.lower()] = _operation(one, by_type)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": title,
            "version": __version__,
            "description": "Everything the pages of this library do. Reading is open to whoever reaches it; writing"
            " needs the token that `pinakes serve` printed.",
        },
        "servers": [{"url": server or "/"}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(one: Endpoint, by_type: dict[str, Any]) -> dict[str, Any]:
    writes = one.method != "GET"
    troubles = {400, *one.troubles, *((401, 403, 413) if writes else ())}
    problem = {"application/json": {"schema": by_type[repr(Trouble)]}}
    content = {"application/json": {"schema": by_type[repr(one.answer)]}} if one.answer is not None else _FILE
    found: dict[str, Any] = {
        "operationId": one.name,
        "summary": one.about,
        "responses": {
            str(one.status): {"description": "What was asked for.", "content": content},
            **{str(status): {"description": REASONS[status], "content": problem} for status in sorted(troubles)},
        },
    }
    if one.parameters:
        found["parameters"] = [_parameter(parameter) for parameter in one.parameters]
    if one.body is not None:
        found["requestBody"] = {"required": True, "content": {"application/json": {"schema": by_type[repr(one.body)]}}}
    if writes:
        found["security"] = [{"token": []}]
    return found


_FILE: dict[str, Any] = {"*/*": {"schema": {}}}
"""Of any type; its Content-Type says which."""


def _parameter(one: Parameter) -> dict[str, Any]:
    schema = msgspec.json.schema(one.kind)
    needed = one.default is msgspec.UNSET
    if not needed:
        schema["default"] = one.default
    return {"name": one.name, "in": one.within, "required": needed or one.within == "path", "description": one.about,
            "schema": schema}  # fmt: skip
