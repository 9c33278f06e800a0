"""Where OpenAlex says a work can be read: what every client of it takes from its records."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec


class Location(msgspec.Struct):
    landing_page_url: str | None = None
    pdf_url: str | None = None


class Located(msgspec.Struct):
    """A work of which only the places are of interest; others add what they select."""

    doi: str | None = None
    primary_location: Location | None = None
    best_oa_location: Location | None = None

    def addresses(self) -> Iterator[str | None]:
        """The best first: an open copy can be read, a landing page often cannot."""
        for place in (self.best_oa_location, self.primary_location):
            if place is not None:
                yield from (place.pdf_url, place.landing_page_url)
        yield self.doi
