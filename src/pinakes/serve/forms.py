"""What a form of ours brought: texts and files, bounded, and only with the token that our own forms carry."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request

from pinakes.core.errors import PinakesError
from pinakes.serve.desk import desk_of
from pinakes.serve.guard import UPLOAD


class NotOurs(Exception):  # noqa: N818
    """A form that did not come from a page of ours."""


@dataclass(frozen=True)
class Form:
    values: FormData
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)
    """Name and content of each file, by field."""

    def text(self, name: str, longest: int = 1000) -> str:
        """A field's text; too long a one is an error, for what is cut off is lost."""
        value = self.values.get(name, "")
        if not isinstance(value, str):
            return ""
        if len(value) > longest:
            raise PinakesError(f"What stands in “{name}” is too long; at most {longest:,} characters are taken.")
        return value.strip()

    def lines(self, name: str, longest: int = 20_000) -> list[str]:
        """The lines of a larger field, the empty ones left out."""
        return [line.strip() for line in self.text(name, longest).splitlines() if line.strip()]


async def read_form(request: Request) -> Form:
    """The form of a request. Guests and other sites never come as far as here; this tells our own pages from whatever
    else runs on our own host."""
    values = await request.form(max_files=5, max_fields=200, max_part_size=UPLOAD)
    token = values.get("form_token", "")
    if not isinstance(token, str) or not hmac.compare_digest(token.encode(), desk_of(request).form_token.encode()):
        raise NotOurs
    uploads = [(name, value) for name, value in values.multi_items() if isinstance(value, UploadFile)]
    files = {name: (value.filename or "", await value.read()) for name, value in uploads if value.filename}
    await request.close()
    return Form(values, files)
