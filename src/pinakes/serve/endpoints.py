"""What a REST endpoint is: a method and a path, typed parameters and body, a typed answer, and the function behind it.

The description that programs read (`/openapi.json`) and the checks of every request come from the same types.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pinakes.core.errors import PinakesError
from pinakes.serve.desk import Desk, desk_of
from pinakes.serve.runner import Runner, runner_of


class Trouble(msgspec.Struct, frozen=True):
    """What is wrong, in a sentence."""

    error: str
    fields: dict[str, str] = {}
    """The same by field, where a body has several mistakes."""


@dataclass(frozen=True)
class Parameter:
    name: str
    kind: Any
    about: str
    default: Any = msgspec.UNSET
    """Unset for one that must be given."""
    within: str = "query"


@dataclass(frozen=True)
class Asked:
    """A request, checked."""

    desk: Desk
    runner: Runner
    request: Request
    values: Mapping[str, Any]
    body: Any = None

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


@dataclass(frozen=True)
class Endpoint:
    method: str
    path: str
    """As OpenAPI writes it: `/api/pages/{number}`."""
    name: str
    about: str
    act: Callable[[Asked], Any]
    answer: Any
    """The type of the answer; None where it is a file."""
    parameters: tuple[Parameter, ...] = ()
    body: Any = None
    status: int = 200
    troubles: tuple[int, ...] = field(default=())
    """Statuses of refusals besides 400."""

    def route(self) -> Route:
        path = self.path
        for parameter in self.parameters:
            if parameter.within == "path":
                path = path.replace(f"{{{parameter.name}}}", f"{{{parameter.name}:{_convertor(parameter)}}}")
        return Route(path, _handler(self), methods=[self.method])


def in_json(value: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value, enc_hook=str), status, media_type="application/json")


def refusal(status: int, sentence: str, fields: Mapping[str, str] | None = None) -> Response:
    return in_json(Trouble(sentence, dict(fields or {})), status)


def _convertor(parameter: Parameter) -> str:
    return "int" if parameter.kind is not str else "str"


def _handler(endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    async def handle(request: Request) -> Response:
        try:
            values = {one.name: _value(one, request) for one in endpoint.parameters}
            body = None
            if endpoint.body is not None:
                sent = await request.body()
                _all_known(sent, endpoint.body)
                body = msgspec.json.decode(sent, type=endpoint.body)
        except msgspec.DecodeError as error:
            raise PinakesError(f"The request cannot be understood: {error}.") from None
        asked = Asked(desk_of(request), runner_of(request), request, values, body)
        found = await run_in_threadpool(endpoint.act, asked)
        return found if isinstance(found, Response) else in_json(found, endpoint.status)

    return handle


def _all_known(sent: bytes, kind: Any) -> None:
    """A misspelt field would otherwise be a wish that nobody hears."""
    known = _fields_of(kind)
    unknown = [name for name in msgspec.json.decode(sent, type=dict[str, msgspec.Raw]) if name not in known]
    if unknown:
        raise PinakesError(f"There is no field {unknown[0][:100]} here; there is {', '.join(known)}.")


def _fields_of(kind: Any) -> list[str]:
    """The fields that a body of some type may have."""
    about = msgspec.inspect.type_info(kind)
    assert isinstance(about, msgspec.inspect.DataclassType | msgspec.inspect.StructType)
    return [one.encode_name for one in about.fields]


def _value(parameter: Parameter, request: Request) -> Any:
    given = request.path_params if parameter.within == "path" else request.query_params
    if parameter.name not in given:
        if parameter.default is msgspec.UNSET:
            raise PinakesError(f"The parameter {parameter.name} is missing.")
        return parameter.default
    try:
        return msgspec.convert(given[parameter.name], parameter.kind, strict=False)
    except msgspec.ValidationError as error:
        raise PinakesError(f"The parameter {parameter.name} cannot be understood: {error}.") from None
