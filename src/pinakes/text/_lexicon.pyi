from collections.abc import Callable
from typing import final

REVISION: int

@final
class Lexicon:
    def __init__(
        self, limit: int, stems: Callable[[list[str]], list[str]], hash: Callable[[str], int], kinds: bytes, key: bytes
    ) -> None: ...
    def told(self, data: bytes, places: list[int], /) -> tuple[dict[str, int], bytes, list[int], int, int]: ...
