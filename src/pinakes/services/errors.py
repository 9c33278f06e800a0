"""What goes wrong with a service, as a person is told it."""

from __future__ import annotations

from pinakes.core.errors import PinakesError


class ServiceError(PinakesError):
    """A service gave no usable answer. The sentence names the service and holds neither keys nor query strings."""

    def __init__(self, service: str, outcome: str, sentence: str, *, passing: bool = False) -> None:
        """`outcome` is one of `web.outcomes`, or `budget`; `passing` when the same call may soon succeed."""
        super().__init__(sentence)
        self.service, self.outcome, self.passing = service, outcome, passing
