"""The map as a picture: a PNG file for slides and documents that take no SVG.

The map is written as a page of PDF, with the fonts every PDF reader has, and drawn by the library that reads papers.
So no picture library is needed. Letters those fonts lack (beyond Western European ones) become question marks; the SVG
has all of them.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

import pypdfium2

from pinakes.jobs.panorama.communities import CommunityMap
from pinakes.report.community_map import LINE_HEIGHT, MARGIN, Box, Placed, Round, arranged, ties_of

WIDE = 1600
"""Pixels from left to right."""
COLOURS = ((0, 103, 165), (201, 81, 12), (0, 131, 106), (168, 50, 125), (138, 109, 0), (93, 91, 208), (122, 81, 56))
"""Those of the report in the light."""
_INK, _TIE, _PAPER = (34, 37, 43), (218, 221, 226), (255, 255, 255)
_HALO = 7
"""How thick the white outline of a label is."""
_SIZE, _NUMBER = 15.0, 18.0
_ARC = 0.5523
"""Where the handles of a Bézier curve stand that draws a quarter of a circle."""
_HELVETICA = {
    " ": 278,
    "i": 222,
    "l": 222,
    "j": 222,
    "t": 278,
    "f": 278,
    "r": 333,
    "m": 833,
    "w": 722,
    "W": 944,
    "M": 833,
}
"""Widths of letters in thousandths of the size; other small ones have 530, capitals 680."""


def as_png(found: CommunityMap) -> bytes:
    """The map on white."""
    circles, labels = arranged(found)
    boxes = [Box(x - r, y - r, x + r, y + r) for x, y, r in circles] + [label.box for label in labels]
    left = min((box.left for box in boxes), default=0.0) - MARGIN
    top = min((box.top for box in boxes), default=0.0) - MARGIN
    wide = max((box.right for box in boxes), default=1.0) - left + MARGIN
    high = max((box.bottom for box in boxes), default=1.0) - top + MARGIN
    # PDF counts upwards from the lower left corner.
    content = f"1 0 0 -1 {-left:.2f} {high + top:.2f} cm\n" + "\n".join(
        [*_ties(found, circles), *_circles(circles), *_labels(labels)]
    )
    document = pypdfium2.PdfDocument(_pdf(content.encode("cp1252", "replace"), wide, high))
    try:
        bitmap = document[0].render(scale=WIDE / wide, rev_byteorder=True, may_draw_forms=False)
        pixels = bitmap.to_numpy()[:, :, :3]
        return _png(pixels.tobytes(), pixels.shape[1], pixels.shape[0])
    finally:
        document.close()


def _ties(found: CommunityMap, circles: Sequence[Round]) -> list[str]:
    drawn = ["1 J"]
    for i, j, width in ties_of(found):
        (x1, y1, _), (x2, y2, _) = circles[i], circles[j]
        drawn.append(f"{_rgb(_TIE)} RG {width:.1f} w {x1:.1f} {y1:.1f} m {x2:.1f} {y2:.1f} l S")
    return drawn


def _circles(circles: Sequence[Round]) -> list[str]:
    drawn = []
    for number, (x, y, r) in enumerate(circles):
        k = _ARC * r
        drawn.append(
            f"{_rgb(COLOURS[number % len(COLOURS)])} rg {x + r:.1f} {y:.1f} m"
            f" {x + r:.1f} {y + k:.1f} {x + k:.1f} {y + r:.1f} {x:.1f} {y + r:.1f} c"
            f" {x - k:.1f} {y + r:.1f} {x - r:.1f} {y + k:.1f} {x - r:.1f} {y:.1f} c"
            f" {x - r:.1f} {y - k:.1f} {x - k:.1f} {y - r:.1f} {x:.1f} {y - r:.1f} c"
            f" {x + k:.1f} {y - r:.1f} {x + r:.1f} {y - k:.1f} {x + r:.1f} {y:.1f} c f"
        )
        drawn.append(_text(str(number + 1), x, y + 0.35 * _NUMBER, "middle", _NUMBER, "F2", (255, 255, 255)))
    return drawn


def _labels(labels: Sequence[Placed]) -> list[str]:
    drawn = []
    for label in labels:
        for at, line in enumerate(label.lines):
            y = label.y + LINE_HEIGHT * (at + 0.75)
            said = _text(line, label.x, y, label.anchor, _SIZE, "F1" if at else "F2", _INK)
            # First its outline in white, so that a line behind it does not run through the letters.
            drawn += [f"1 j {_rgb(_PAPER)} RG {_HALO} w 1 Tr", said, "0 Tr", said]
    return drawn


def _text(text: str, x: float, y: float, anchor: str, size: float, font: str, colour: tuple[int, int, int]) -> str:
    wide = size * sum(_HELVETICA.get(c, 680 if c.isupper() else 550) for c in text) / 1000
    x -= {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
    plain = "".join(c if c.isprintable() else " " for c in text)
    written = plain.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    # The page is turned upside down, so that its y grows downwards as the map's does; text is turned back.
    return f"BT {_rgb(colour)} rg /{font} {size:.1f} Tf 1 0 0 -1 {x:.1f} {y:.1f} Tm ({written}) Tj ET"


def _rgb(colour: tuple[int, int, int]) -> str:
    return " ".join(f"{part / 255:.3f}" for part in colour)


def _pdf(content: bytes, wide: float, high: float) -> bytes:
    """One page of PDF."""
    fonts = b"".join(
        b"/%s << /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >> " % pair
        for pair in ((b"F1", b"Helvetica"), (b"F2", b"Helvetica-Bold"))
    )
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {wide:.2f} {high:.2f}] /Contents 4 0 R".encode()
        + b" /Resources << /Font << " + fonts + b">> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
    ]  # fmt: skip
    written, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(written))
    return written + head + table + tail


def _png(pixels: bytes, wide: int, high: int) -> bytes:
    """Rows of red, green and blue as a PNG file."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    row = 3 * wide
    rows = b"".join(b"\0" + pixels[at * row : (at + 1) * row] for at in range(high))
    head = struct.pack(">IIBBBBB", wide, high, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
