from collections.abc import Callable
from typing import final

REVISION: int
_Stems = Callable[[list[str]], list[str]]

@final
class Lexicon:
    def __init__(
        self,
        limit: int,
        plain: _Stems,
        stems: _Stems,
        stops: list[str],
        hash: Callable[[str], int],
        kinds: bytes,
        key: bytes,
    ) -> None: ...
    def told(self, data: bytes, places: list[int], /) -> tuple[str, bytes, bytes, list[int], int, int]: ...
