"""Pages whose text stands in their scripts."""

from __future__ import annotations

import json

from crawler.core.flow import Page, read

URL = "https://mole.example/2026/11/quay-wall"
TITLE = "Quay wall cracks"
EN = (
    (
        "The ferry company said that nine boats would stay in the harbour until Easter. The "
        "quay wall had cracked, and nobody wanted to moor a boat of forty tonnes at it."
    ),
    (
        "Residents of Old Weir had warned the council for years. Marla Quist kept a notebook of"
        " every stone that fell into the water, and she read from it on Monday."
    ),
    (
        "Engineers measured the gap with a laser and found that it had grown. They closed the "
        "western pier on the same day, and the fish market moved to the school yard."
    ),
    (
        "A second survey is planned for the first frost. The money for it comes from a fund "
        "that the region set up after the flood of last spring, and half of it is left."
    ),
    (
        "“We are not angry, only tired,” said Otto Penn, who sells smoked fish. Until then "
        "passengers have to walk along the dyke, which is lit by lamps from a circus."
    ),
)
KO = (
    (
        "연락선 회사는 부두 벽에 금이 가서 배 아홉 척이 부활절까지 항구에 머문다고 "
        "밝혔다. 주민들은 몇 해 전부터 의회에 위험을 알려 왔다고 말한다."
    ),
    (
        "기술자들은 지난 월요일에 레이저로 틈을 재고 서쪽 부두를 닫았다. 어시장은 학교"
        " 운동장으로 자리를 옮겼고 상인들은 천막 아래에서 생선을 판다."
    ),
    (
        "두 번째 조사는 첫서리가 내릴 때 시작된다. 비용은 지난봄 홍수 뒤에 지역이 "
        "마련한 기금에서 나오며 아직 절반이 남아 있다고 시장은 설명했다."
    ),
)
JA = (
    (
        "連絡船の会社は、岸壁にひびが入ったため、九隻の船が復活祭まで港にとどまると発表した。"
        "住民は何年も前から議会に危険を知らせていたという。"
    ),
    (
        "技術者は月曜日にレーザーですき間を測り、西の桟橋を閉じた。魚市場は学校の校庭に移り、"
        "商人は天幕の下で魚を売っている。"
    ),
    (
        "二回目の調査は初霜のころに始まる。費用は、昨年春の洪水のあとに地域が設けた基金から出"
        "され、まだ半分が残っている。"
    ),
)
RU = (
    (
        "Паромная компания сообщила, что девять судов останутся в гавани до Пасхи. В "  # noqa: RUF001 - Russian
        "стене причала появилась трещина, и никто не хочет швартовать к ней судно."
    ),
    (
        "Жители Старой Запруды предупреждали совет много лет. Марла Квист записывала в "
        "тетрадь каждый камень, который упал в воду, и читала из неё в понедельник."
    ),
    (
        "Инженеры измерили щель лазером и увидели, что она выросла. В тот же день они "  # noqa: RUF001 - Russian
        "закрыли западный пирс, а рыбный рынок переехал на школьный двор."  # noqa: RUF001 - Russian
    ),
)
AR = (
    (
        "أعلنت شركة العبارات أن تسعة قوارب ستبقى في الميناء حتى عيد الفصح. تصدع جدار "
        "الرصيف ولا أحد يريد أن يرسو قاربه عنده في هذه الأيام."
    ),
    (
        "حذر سكان السد القديم المجلس منذ سنوات. احتفظت مارلا كويست بدفتر كتبت فيه عن كل "
        "حجر سقط في الماء وقرأت منه يوم الاثنين أمام الجميع."
    ),
    (
        "قاس المهندسون الفجوة بالليزر ووجدوا أنها اتسعت. أغلقوا الرصيف الغربي في اليوم "
        "نفسه وانتقل سوق السمك إلى ساحة المدرسة القريبة."
    ),
)
NAV = "<nav><a href=/a>Town</a> <a href=/b>Sea</a> <a href=/c>Sport</a></nav>"
FOOT = "<footer><p>Published by the Mole Observer, Harbour Street 4</p></footer>"


def shell(script: str, body: str = '<div id="root"></div>', title: str = TITLE) -> str:
    return f"<html><head><title>{title}</title></head><body>{body}{script}</body></html>"


def tags(paragraphs: tuple[str, ...]) -> str:
    return "".join(f"<p>{each}</p>" for each in paragraphs)


def in_json(
    value: object, attributes: str = 'type="application/json"', *, ascii_: bool = False
) -> str:
    text = json.dumps(value, ensure_ascii=ascii_).replace("</", "<\\/")
    return f"<script {attributes}>{text}</script>"


def linked(body: str, **more: object) -> str:
    value = {"@type": "NewsArticle", "headline": TITLE, "articleBody": body, **more}
    return in_json(value, 'type="application/ld+json"')


def article(body: object) -> dict[str, object]:
    return {"props": {"pageProps": {"article": {"title": TITLE, "body": body}}}}


def pushed(*rows: str) -> str:
    """Write rows as React sends them, each in two pieces."""
    stream = "".join(rows)
    pieces = (stream[: len(stream) // 2], stream[len(stream) // 2 :])
    return "".join(
        f"<script>self.__next_f.push([1,{json.dumps(each)}])</script>" for each in pieces
    )


OTHER = tuple(
    each.replace("quay", "dam").replace("The", "Their").replace("a ", "one ") for each in EN
)


def shown(page: str) -> list[str]:
    return [block.text for block in read(Page.from_text(URL, page)).blocks]
