from __future__ import annotations

import pytest

from crawler.core.page.decode import decode, decode_bytes
from crawler.core.page.page import Page

KOREAN = "아침에 방파제까지 걸었다. 바람이 세고 물이 높았다. 점심은 국수였다."
JAPANESE = "毎週月曜日に、だれかが塔に登り、時計のねじを巻く。表示はまだ正しい。"
CHINESE = "每个星期一都有人登上塔楼，给大钟上弦。钟面上的时间仍然正确。"  # noqa: RUF001 - it is Chinese
RUSSIAN = "Каждый понедельник кто-нибудь поднимается на башню и заводит часы."
FRENCH = "Chaque lundi, quelqu’un monte à la tour et remonte l’horloge du château, même l’été."  # noqa: RUF001 - it is French
HTML = "text/html; charset="


def markup(text: str, meta: str = "") -> str:
    declared = f'<meta charset="{meta}">' if meta else ""
    return f"<html><head>{declared}<title>x</title></head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize("times", [1, 3, 40])
@pytest.mark.parametrize(
    "header",
    ["", "utf-8", "iso-8859-1", "windows-1252", "shift_jis", "gbk", "euc-kr", "nonsense"],
)
@pytest.mark.parametrize("meta", ["", "utf-8", "euc-kr"])
def test_korean_is_read_whatever_is_declared(header: str, meta: str, times: int) -> None:
    text = markup(KOREAN * times, meta)
    body = text.encode("euc-kr")
    assert decode_bytes(body, HTML + header if header else "") == (text, "cp949")


@pytest.mark.parametrize("header", ["", "utf-8", "iso-8859-1", "euc-kr", "shift_jis", "gbk"])
@pytest.mark.parametrize("meta", ["", "utf-8", "utf-16", "windows-1252", "euc-kr"])
@pytest.mark.parametrize("text", [KOREAN, JAPANESE, RUSSIAN, FRENCH * 4])
def test_utf8_is_read_whatever_is_declared(text: str, meta: str, header: str) -> None:
    page = markup(text, meta)
    assert decode_bytes(page.encode(), HTML + header if header else "") == (page, "utf-8")


@pytest.mark.parametrize(
    ("text", "label", "codec"),
    [
        (KOREAN, "euc-kr", "cp949"),
        (KOREAN + "똠방각하 햏", "euc-kr", "cp949"),
        (JAPANESE, "shift_jis", "cp932"),
        (JAPANESE, "euc-jp", "euc_jp"),
        (JAPANESE, "iso-2022-jp", "iso2022_jp"),
        (CHINESE, "gb2312", "gb18030"),
        (CHINESE.replace("钟", "鐘"), "gbk", "gb18030"),
        ("每個星期一都有人登上塔樓，給大鐘上弦。鐘面上的時間仍然正確。", "big5", "big5hkscs"),  # noqa: RUF001 - it is Chinese
        (RUSSIAN, "windows-1251", "cp1251"),
        (RUSSIAN, "koi8-r", "koi8-r"),
        (FRENCH, "iso-8859-1", "cp1252"),
        (FRENCH, "windows-1252", "cp1252"),
        ("Gęślą jaźń", "iso-8859-2", "iso8859-2"),
    ],
)
@pytest.mark.parametrize("where", ["header", "meta"])
def test_what_is_declared_rightly_is_believed(
    text: str, label: str, codec: str, where: str
) -> None:
    page = markup(text, label if where == "meta" else "")
    found, name = decode_bytes(page.encode(codec), HTML + label if where == "header" else "")
    assert found == page
    # One Japanese standard is read by its superset, whatever name that has.
    assert name in {codec, "shift_jis"}


def test_the_header_goes_before_a_wrong_meta() -> None:
    page = markup(RUSSIAN, "windows-1252")
    assert decode_bytes(page.encode("cp1251"), f"{HTML}windows-1251") == (page, "cp1251")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16-le", "utf-16-be", "utf-32-le"])
def test_a_byte_order_mark_goes_before_all(encoding: str) -> None:
    page = markup(KOREAN, "euc-kr")
    marked = page if encoding == "utf-8-sig" else f"\ufeff{page}"
    found, name = decode_bytes(marked.encode(encoding), f"{HTML}iso-8859-1")
    assert found == page
    assert name == encoding.removesuffix("-sig")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_header_alone_tells_utf16(encoding: str) -> None:
    page = markup(KOREAN)
    assert decode_bytes(page.encode(encoding), HTML + encoding) == (page, encoding)


def test_a_header_of_utf16_on_other_bytes_is_disbelieved() -> None:
    page = markup(KOREAN)
    assert decode_bytes(page.encode(), f"{HTML}utf-16") == (page, "utf-8")


@pytest.mark.parametrize("declared", ["", f"{HTML}utf-8", f"{HTML}iso-8859-1"])
def test_a_few_broken_bytes_leave_utf8_as_it_is(declared: str) -> None:
    body = markup(RUSSIAN).encode().replace(b"</p>", b" \xe9 \x93</p>")
    found, name = decode_bytes(body, declared)
    assert name == "utf-8"
    assert RUSSIAN in found
    assert "\ufffd" in found


def test_a_short_page_of_declared_utf8_may_have_a_broken_byte() -> None:
    body = "<p>naïve “so”</p>".encode() + b"caf\xe9"
    assert decode_bytes(body, f"{HTML}utf-8") == ("<p>naïve “so”</p>caf\ufffd", "utf-8")


def test_a_single_pasted_byte_is_no_utf8() -> None:
    body = b"<p>" + b"The cafe is open. " * 20 + b"caf\xe9</p>"
    found, name = decode_bytes(body, f"{HTML}utf-8")
    assert "café" in found
    assert name != "utf-8"


def test_declared_korean_with_a_cut_character_stays_korean() -> None:
    text = markup(KOREAN * 5)
    body = text.encode("euc-kr").replace(b"</p>", b"\xb0</p>")
    found, name = decode_bytes(body, f"{HTML}euc-kr")
    assert name == "cp949"
    assert KOREAN in found


def test_text_after_long_scripts_is_what_tells() -> None:
    page = markup(f"<script>{'var a = 1; ' * 10_000}</script>{KOREAN * 3}")
    assert decode_bytes(page.encode("euc-kr"), f"{HTML}iso-8859-1") == (page, "cp949")


@pytest.mark.parametrize(
    ("content_type", "encoding"),
    [("", "utf-8"), (f"{HTML}euc-kr", "cp949"), (f"{HTML}nonsense", "utf-8")],
)
def test_ascii_is_ascii_in_whatever_is_declared(content_type: str, encoding: str) -> None:
    assert decode_bytes(b"<p>plain</p>", content_type) == ("<p>plain</p>", encoding)


@pytest.mark.parametrize(
    "body", [b"", b"\xff", b"\xc3", b"\x80\x81\x8d", b"\x00", b"\x1b$B", b"\xfe\xff"]
)
@pytest.mark.parametrize(
    "header", ["", "utf-8", "shift_jis", "iso-2022-jp", "utf-7", "hex", "idna"]
)
def test_nothing_fails(body: bytes, header: str) -> None:
    text, name = decode_bytes(body, HTML + header if header else "")
    assert isinstance(text, str)
    assert body.decode(name, "replace").lstrip("\ufeff") == text


def test_a_certain_encoding_is_not_asked_about() -> None:
    page = Page.from_text("https://x.example/", '<meta charset="euc-kr"><p>é')
    assert decode(page) == ('<meta charset="euc-kr"><p>é', "utf-8")


@pytest.mark.parametrize("encoding", ["latin-1", "nonsense", "hex", "idna", "undefined"])
def test_an_encoding_given_by_a_spider_is_used_or_made_up_for(encoding: str) -> None:
    text, _ = decode(Page("https://x.example/", b"<p>caf\xe9", encoding=encoding))
    assert text == "<p>café"


# Texts of which the bytes allow one reading: long ones, names alone, signs alone, letters that a
# narrower standard lacks.
TEXTS = {
    "cp949": (
        "일이 그렇게 됬다. 아무도 몰랐지만 배는 떠났다.",
        "고양이를 쫒아 펲시를 마셨다는 이야기.",
        "홍길동",
        "이름: 김민수 기자",
    ),
    "cp932": (JAPANESE, "田中太郎", "ニュース", "今日は雨でした。"),
    "euc_jp": (JAPANESE, "田中さん", "ニュース一覧", "今日は雨でした。"),
    "gb18030": (CHINESE, "新闻中心", "北京时间", "今天下雨，我们在家里看书。"),  # noqa: RUF001 - it is Chinese
    "big5hkscs": (
        "每個星期一都有人登上塔樓、給大鐘上弦。",
        "最新消息",
        "台北市政府",
        "我們在家裡看書",
    ),
    "cp1251": (RUSSIAN, "Привет, мир", "Новости Москвы", "Погода на завтра"),
    "cp1252": (
        "El señor Muñoz cumplió años en otoño.",
        "It costs £12 to enter, or €15.",
        "© 2024. All rights reserved. 20° outside.",
        "Það var góður dagur á Íslandi, þegar við fórum.",
    ),
    "cp874": (
        "ทุกวันจันทร์มีคนขึ้นไปบนหอคอยและไขลานนาฬิกา",
        "ข่าววันนี้",
        "อากาศดีมาก",
        "บ้านริมแม่น้ำ",
    ),
}
LABELS = {"gb18030": "gbk", "big5hkscs": "big5", "cp949": "euc-kr", "cp874": "tis-620"}


@pytest.mark.parametrize(("codec", "text"), [(name, it) for name in TEXTS for it in TEXTS[name]])
@pytest.mark.parametrize(
    "declared",
    ["", "utf-8", "right", "iso-8859-1", "euc-kr", "shift_jis", "gbk", "windows-1251"],
)
@pytest.mark.parametrize("where", ["header", "meta"])
def test_pages_of_each_encoding_are_read_whatever_is_declared(
    codec: str, text: str, declared: str, where: str
) -> None:
    label = LABELS.get(codec, codec) if declared == "right" else declared
    page = markup(f"Some plain words. {text}", label if where == "meta" else "")
    body = page.encode(codec)
    assert decode_bytes(body, HTML + label if where == "header" and label else "")[0] == page


@pytest.mark.parametrize("codec", ["cp949", "cp932", "euc_jp", "gb18030", "big5hkscs"])
@pytest.mark.parametrize("is_declared", [True, False])
def test_a_cut_character_does_not_change_the_encoding(codec: str, *, is_declared: bool) -> None:
    text = TEXTS[codec][0] * 8
    cut = b"\x8a</p>" if codec == "cp932" else b"\xb0</p>"
    body = f"<p>{text}</p>".encode(codec).replace(b"</p>", cut)
    found, _ = decode_bytes(body, HTML + LABELS.get(codec, codec) if is_declared else "")
    assert text in found


def test_a_meta_element_after_long_scripts_is_obeyed() -> None:
    page = f"<script>{'var a = 1; ' * 1_000}</script><meta charset=windows-1250><p>Łódź</p>"
    assert decode_bytes(page.encode("cp1250")) == (page, "cp1250")
