from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.formats.charset import declared, decode


@pytest.mark.parametrize(
    ("data", "content_type", "expected"),
    [
        (b"\xef\xbb\xbf\xc3\xa9", "text/html; charset=latin-1", "é"),
        ("é".encode("utf-16"), "", "é"),
        (b"\xfe\xff\x00\xe9", "", "é"),
        (b"\x80\xe9", "text/html; charset=ISO-8859-1", "€é"),
        (b"\x80", "text/html;CHARSET = 'latin1'", "€"),
        (b"\xc3\xa9", 'text/html; charset="utf-8"', "é"),
        (b"\xe9!", "text/html; charset=utf-8", "\ufffd!"),
        (b"\x82\xa0", "text/html; charset=Shift_JIS", "あ"),
        (b"\xb0\xa1", "text/html; charset=ks_c_5601-1987", "가"),
        (b"\xc3\xa9", "text/html; charset=no-such-charset", "é"),
        (b"\xc3\xa9", "text/html", "é"),
        (b"caf\xe9 \x93x\x94", "", "café “x”"),
        (b"\xc3\xa9abc\xe2\x82", "", "éabc"),
        (b"caf\xe9", "", "café"),
        (b"", "", ""),
    ],
)
def test_decode(data: bytes, content_type: str, expected: str) -> None:
    """Mark, header, then UTF-8 if it fits, else windows-1252; WHATWG's labels mean what browsers take them for."""
    assert decode(data, content_type) == expected


@pytest.mark.parametrize(
    ("head", "label"),
    [
        (b"<meta charset=koi8-r>", "koi8-r"),
        (b"<META CHARSET='Windows-1251'>", "windows-1251"),
        (b'<meta http-equiv=Content-Type content="text/html; charset=gb2312">', "gb2312"),
        (b'<meta content="text/html;charset=EUC-JP" http-equiv="content-type"/>', "euc-jp"),
        (b'<?xml version="1.0" encoding="iso-8859-2"?><html>', "iso-8859-2"),
        (b"<meta charset=utf-16>", "utf-8"),
        (b"<!-- <meta charset=koi8-r> --><meta charset=big5>", "big5"),
        (b'<meta name=description content="what charset=x means">', ""),
        (b" " * 1024 + b"<meta charset=koi8-r>", ""),
        (b"<p>charset=koi8-r", ""),
    ],
)
def test_declared(head: bytes, label: str) -> None:
    """A page declares its charset in a meta element or XML declaration within its first 1,024 bytes."""
    assert declared(head) == label


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        ("Привет мир, это страница о совах и других хищных птицах, которые живут в лесу.", "windows-1251"),
        ("Привет мир, это страница о совах и других хищных птицах, которые живут в лесу.", "koi8-r"),
        ("これは日本語のページです。フクロウと他の鳥について書かれています。", "shift_jis"),
        ("これは日本語のページです。フクロウと他の鳥について書かれています。", "euc-jp"),
        ("これは日本語のページです。フクロウと他の鳥について書かれています。", "iso-2022-jp"),
        ("这是一个关于猫头鹰和其他鸟类的中文网页，内容很丰富。", "gbk"),
        ("這是一個關於貓頭鷹和其他鳥類的中文網頁，內容很豐富。", "big5"),
        ("이것은 올빼미와 다른 새들에 관한 한국어 페이지입니다.", "euc-kr"),
        ("Αυτή είναι μια σελίδα για τις κουκουβάγιες και άλλα πουλιά.", "iso-8859-7"),
        ("Toto je stránka o sovách a dalších dravých ptácích; příliš žluťoučký kůň.", "windows-1250"),
        ("זהו דף על ינשופים וציפורים אחרות שחיות ביער", "windows-1255"),
        ("Dies ist eine Seite über Eulen und größere Vögel, die in Wäldern überwintern.", "windows-1252"),
        ("Voici une page à propos des hiboux et des forêts où ils vivent été comme hiver.", "windows-1252"),
    ],
)
def test_what_declares_no_charset_is_guessed(text: str, charset: str) -> None:
    """As browsers do, also with much English and markup about it."""
    for page in (f"<p>{text}</p>", "<p class=x>" + "owls and other birds " * 8 + f"</p><h1>{text}</h1>"):
        assert decode(page.encode(charset)) == page


def test_a_few_odd_letters_are_no_evidence() -> None:
    """Quotation marks, a name and a pound sign are western, whatever else they might be in another charset."""
    page = "<p>" + "It cost \xa3 5 to see the owls of S\xe3o Paulo, " * 3 + "he said. " * 200 + "</p>"
    assert decode(page.encode("windows-1252")) == page


def test_plain_text_declares_nothing() -> None:
    assert decode(b"<meta charset=koi8-r>\xc3\xa9", "text/plain", markup=False).endswith("é")


@given(st.binary(), st.text())
def test_never_raises(data: bytes, content_type: str) -> None:
    assert isinstance(decode(data, content_type), str)
    assert isinstance(decode(b"<meta charset=" + data, "text/html; charset=" + content_type), str)
