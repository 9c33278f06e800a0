"""Arrays as plain data, for snapshots: base64 of compressed bytes, with kind and shape."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray


def pack(array: NDArray[Any]) -> list[Any]:
    data = b64encode(isal_zlib.compress(np.ascontiguousarray(array).tobytes(), 1)).decode()
    return [array.dtype.str, list(array.shape), data]


def unpack(packed: list[Any]) -> NDArray[Any]:
    kind, shape, data = packed
    return np.frombuffer(isal_zlib.decompress(b64decode(data)), np.dtype(kind)).reshape(shape).copy()
