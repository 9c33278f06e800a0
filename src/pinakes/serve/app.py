"""The web application: pages for people, put together from its parts."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from pinakes.core.errors import PinakesError
from pinakes.serve import (
    api,
    collections_page,
    crawls_page,
    evaluations_page,
    exports,
    harvests_page,
    home,
    jobs_page,
    labels,
    maps_page,
    metrics,
    oai,
    page_page,
    search_page,
    shell,
    start_page,
    stored,
)
from pinakes.serve.answers import Answers
from pinakes.serve.desk import LOOPBACK, Desk, check_base_url
from pinakes.serve.endpoints import refusal
from pinakes.serve.forms import NotOurs
from pinakes.serve.guard import Guard
from pinakes.serve.keeper import Keeper
from pinakes.serve.metrics import Meter, Metered
from pinakes.serve.orders import Mistakes
from pinakes.serve.runner import Busy, Runner
from pinakes.serve.signing_in import SigningIn

PAGES = (
    home, search_page, collections_page, page_page, stored, crawls_page, maps_page, harvests_page, evaluations_page,
    labels, exports, start_page, jobs_page, api, metrics, oai,
)  # fmt: skip


def create_app(
    library: Path,
    token: str,
    *,
    base_url: str = "",
    hosts: Sequence[str] = LOOPBACK,
    job_options: Sequence[str] = (),
    keep: bool = True,
    contact: str = "",
) -> Starlette:
    """The application for one library. With `keep`, a process keeps its indexes up to date while it runs."""
    desk = Desk(library, token, check_base_url(base_url), tuple(hosts), contact)
    runner = Runner(library, job_options)
    meter = Meter()

    @asynccontextmanager
    async def alive(app: Starlette) -> AsyncIterator[None]:
        keeper = Keeper(library) if keep else None
        with desk.library() as opened:
            desk.tally.of(opened)  # counted once before anybody waits for it
        try:
            yield
        finally:
            runner.close()
            desk.readers.close()
            if keeper is not None:
                keeper.close()

    routes: list[BaseRoute] = [Route("/static/{digest}/{name}", shell.static)]
    for part in PAGES:
        routes += part.ROUTES
    app = Starlette(
        routes=routes,
        middleware=[
            Middleware(Metered, meter=meter),
            Middleware(Guard, desk=desk),
            Middleware(SigningIn, desk=desk),
            Middleware(Answers, desk=desk),
        ],
        exception_handlers={
            PinakesError: _bad_input,
            LookupError: _not_found,
            OverflowError: _not_found,
            Busy: _busy,
            sqlite3.Error: _unwritable,
            NotOurs: _not_ours,
            HTTPException: _http,
            404: _http,
            500: _broken,
        },
        lifespan=alive,
    )
    app.state.desk, app.state.runner, app.state.meter = desk, runner, meter
    return app


def _bad_input(request: Request, error: Exception) -> Response:
    if isinstance(error, start_page.BusyNow):
        return _told(request, 409, str(error))
    if isinstance(error, Mistakes) and _for_programs(request):
        return refusal(400, str(error), error.by_field)
    return _told(request, 400, str(error))


def _not_found(request: Request, error: Exception) -> Response:
    if isinstance(error, (KeyError, IndexError)):
        raise error  # a mistake of ours
    return _told(request, 404, str(error) if isinstance(error, LookupError) else "There is nothing of such a number.")


def _busy(request: Request, error: Exception) -> Response:
    return _told(request, 409, str(error))


def _unwritable(request: Request, error: Exception) -> Response:
    return _told(
        request,
        503,
        f"The library's files cannot be read or written just now ({error}); try again, or mind their permissions.",
    )


def _not_ours(request: Request, error: Exception) -> Response:
    return _told(request, 403, "That form is from another time or another site; load the page anew and try again.")


def _http(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 404
    sentences = {404: "There is no such page in this application.", 405: "That cannot be done here."}
    answer = _told(request, status, sentences.get(status, str(getattr(error, "detail", ""))))
    answer.headers.update(getattr(error, "headers", None) or {})
    return answer


def _broken(request: Request, error: Exception) -> Response:
    return _told(request, 500, "The application made a mistake; what is in the library is safe.")


def _told(request: Request, status: int, sentence: str) -> Response:
    """Trouble as a page for people, as JSON for programs."""
    return refusal(status, sentence) if _for_programs(request) else shell.trouble(request, status, sentence)


def _for_programs(request: Request) -> bool:
    return request.url.path.startswith("/api/")
