from typing import final

from pinakes.formats.walk import Found, Note

REVISION: int
_Walked = tuple[str, list[Found], list[Note], bytes]

@final
class Walker:
    def __init__(
        self,
        kinds: dict[str, int],
        told: tuple[str, ...],
        references: dict[str, str],
        nearby: int,
        longest_anchor: int,
        deepest: int,
        most_nodes: int,
    ) -> None: ...
    def walk(self, markup: bytes, most_links: int, most_text: int, /) -> _Walked | None: ...
    def straight(self, markup: bytes, most_links: int, most_text: int, /) -> _Walked | None: ...
