"""The map as PNG."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from pinakes.graph.layout import place
from pinakes.jobs.panorama.communities import Community, CommunityMap
from pinakes.report.map_picture import COLOURS, WIDE, as_png


def made(*labels: tuple[str, ...]) -> CommunityMap:
    k = len(labels)
    circles = place(np.full(k, 10.0), np.full((k, k), 0.4))
    communities = tuple(
        Community(label, (), 10, circle, (), (), (), (), (), (), ())
        for label, circle in zip(labels, circles, strict=True)
    )
    return CommunityMap(communities, tuple((0.4,) * k for _ in range(k)), tuple((0,) * k for _ in range(k)), 10 * k, 0)


def pixels(data: bytes) -> np.ndarray:
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, parts, wide, high = 8, b"", 0, 0
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            wide, high = struct.unpack(">II", body[:8])
        parts += body if kind == b"IDAT" else b""
        at += 12 + size
    rows = np.frombuffer(zlib.decompress(parts), np.uint8).reshape(high, 1 + 3 * wide)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(high, wide, 3)


def test_every_community_has_its_colour_and_its_label() -> None:
    found = pixels(as_png(made(("owls",), ("operating (systems)", "CORBA\\"), ("“naïve” café", "日本"))))
    assert abs(found.shape[1] - WIDE) <= 1
    for colour in COLOURS[:3]:
        assert (np.abs(found.astype(int) - colour).max(axis=2) <= 2).sum() > 1000
    assert (found.max(axis=2) < 60).sum() > 500, "labels are dark"


def test_a_map_of_nothing_is_white() -> None:
    assert (pixels(as_png(made())) == 255).all()
