"""The words by which a statement is made stronger, weaker, conditional or the opposite.

English, Indonesian and Chinese stand in one table: hardly a word is written the same in two of
them. Opposites are those of the query validators' languages, and more.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from research_agent.core.claim_checks.opposite_words import OPPOSITES, SKIPPED
from research_agent.core.validators.languages import LANGUAGES
from research_agent.core.validators.rewrite_words import alternatives


class Mark(NamedTuple):
    """What a word or phrase does: the kind, its value, and its side where the kind has sides."""

    kind: str
    value: str
    side: int = 0


_PLAIN: Mapping[tuple[str, str], str] = {
    ("neg", "not"): (
        "not|no|never|without|cannot|neither|nor|none|nobody|nothing|no longer|need not|fails to"
        "|fail to|failed to|failing to|failure to|unable to"
        "|absence of|in the absence of|lacks|lack|tidak|tak|bukan|bukanlah|belum|jangan|tanpa|tiada"
        "|gagal|不|没|没有|未|无|勿|非|并非|不是|不能|不会|不可|不得|不应|无法|尚未|从不|从未|毫无"
    ),
    ("neg", "both"): (
        "prohibit*|forbid*|disallow*|banned|bans|not allowed|not permitted"
        "|dilarang|melarang|禁止|严禁"
    ),
    ("spared", ""): (
        "not only|whether or not|not just|not necessarily|tidak hanya|bukan hanya|不仅|不但|不只"
        "|不同|不论|不管|非常|无论|不过|不断|未来|没错|无线|非对称|whether|no one"
        "|no matter|regardless|nothing but|none other than|no other than"
        "|when compared|if any|if possible|if applicable|not to mention"
    ),
    ("modal", "must"): (
        "must|shall|required to|have to|has to|need to|needs to|obliged to|mandatory|mandates"
        "|harus|wajib|mesti|必须|须|务必|一定要"
    ),
    ("modal", "should"): (
        "should|ought to|recommended|advisable|recommends|sebaiknya|hendaknya|disarankan|seharusnya"
        "|应该|应当|建议|应"
    ),
    ("modal", "may"): "may|might|could|optional|optionally|possibly|boleh|mungkin|可能|也许|或许",
    ("modal", "can"): (
        "can|able to|allowed to|permitted to|possible to|allowed|permitted|dapat|bisa"
        "|可以|能够|能|可"
    ),
    ("quantity", "all"): (
        "whichever|whatever|any of|no matter which|regardless of which|all|every|each|any|always"
        "|entire|semua|seluruh|setiap|tiap|selalu|所有|全部|每个"
        "|每|总是|始终"
        "|任何|一律"
    ),
    ("quantity", "some"): (
        "some|few|most|certain|typical|usual|sometimes"
        "|rarely|seldom|occasionally|usually|typically|a few|in part"
        "|beberapa|sebagian|sebagian besar|kadang|kadang-kadang|biasanya|jarang|有些|一些|部分|某些"
        "|大多数|多数|有时|通常|很少|偶尔"
    ),
    ("quantity", "many"): "many|several|often|generally|frequently|banyak|sering|umumnya"
        "|许多|往往|经常",
    ("only", ""): (
        "only|solely|exclusively|hanya|cuma|仅|只|仅仅|只能|只有|only be|only if"
        "|only when|only with"
        "|only for|only by|only in|only after|only under|only upon|hanya jika|hanya dengan"
    ),
    ("bound", "least"): (
        ">=|≥"
        "|at least|no less than|not less than|no fewer than|at minimum|a minimum of|minimum|or more"
        "|or greater|or higher|or longer|greater than or equal to|at a minimum|setidaknya"
        "|sekurang-kurangnya|minimal|paling sedikit|sedikitnya|tidak kurang dari"
        "|atau lebih|至少|不少于"
        "|不低于|最少|以上"
    ),
    ("bound", "most"): (
        "<=|≤"
        "|at most|up to|no more than|not more than|not exceed|not exceeding|a maximum of|maximum"
        "|or less|or fewer|or smaller|less than or equal to|no later than|within|not longer than"
        "|paling banyak|maksimal|maksimum|hingga|tidak lebih dari|atau kurang|至多|最多"
        "|不超过|以内|以下"
        "|paling lama|paling lambat|no longer than"
    ),
    ("bound", "more"): (
        ">"
        "|more than|greater than|over|exceeds|exceeding|exceed|above|larger than|longer than|beyond"
        "|lebih dari|melebihi|di atas|超过|大于|多于|高于"
    ),
    ("bound", "less"): (
        "<|less than|fewer than|below|under|smaller than|shorter than|kurang dari"
        "|di bawah|小于|少于|低于|不到"
    ),
    ("bound", "exact"): "exactly|precisely|tepat|persis|恰好|正好",
    ("bound", "about"): (
        "about|approximately|roughly|around|nearly|almost|sekitar|kira-kira|kurang lebih|约|大约"
    ),
    ("condition", "if"): (
        "if|provided that|provided|as long as|so long as|in case|in the event|assuming|subject to"
        "|on condition|only if|only when|only with|only for|only by|only in|only after|only under"
        "|only upon|hanya jika|hanya dengan|jika|bila|apabila|kalau|asalkan|如果|若|只要"
        "|假如|倘若|只有"
    ),
    ("condition", "unless"): (
        "unless|except|excepting|excluding|other than|apart from|with the exception|except when"
        "|except for|kecuali|selain|除非|除了|除"
    ),
    ("condition", "when"): "when|whenever|once|ketika|saat|begitu|当|一旦",
    ("condition", "until"): (
        "until|till|before|prior to|after|sampai|sebelum|setelah|sesudah"
    ),
    ("condition", "post"): "之前|之后|以前|以后|时|的时候|以外|除外|的情况下",
    ("status", "draft"): (
        "draft|drafts|proposed|preliminary|provisional|planned|tentative|intended"
        "|candidate|deprecated"
        "|expected|claimed|estimated|rancangan|konsep|usulan|draf|草案|拟议|初步|预计"
    ),
    ("unlimited", ""): (
        "any number of|any amount of|unlimited|without limit|no limit|sebanyak apa pun|berapa pun"
        "|tanpa batas|tidak terbatas|不限|任意数量|无限制"
    ),
    ("at once", ""): (
        "immediately|right away|at once|instantly|straight away|langsung|segera|立即|即可|马上|立刻"
    ),
    ("late", ""): "满",
    ("break", ""): (
        "but|while|whereas|although|though|because|however|which|who|whose|so that|since|therefore"
        "|tetapi|namun|sedangkan|karena|sehingga|meskipun|但|但是|而|因为|所以|然而"
    ),
    ("be", ""): "is|are|was|were|be|been|being|gets|got",
    ("agent", ""): "by|oleh|被|由",
    ("way", ""): (
        "from|to|than|before|after|into|over|under|onto|against|dari|ke|kepada|daripada"
        "|sebelum|setelah"
        "|比|向|从|到|给|由|把|被"
    ),
}  # fmt: skip

UNITS: tuple[tuple[str, ...], ...] = (
    ("bit|bits|比特|位", "byte|bytes|octet|octets|bita|字节", "kb|kilobyte|kilobytes|kib",
     "mb|megabyte|megabytes|mib", "gb|gigabyte|gigabytes|gib", "tb|terabyte|terabytes",
     "kilobit|kilobits", "megabit|megabits"),
    ("ns|nanosecond|nanoseconds", "us|µs|microsecond|microseconds|微秒",
     "ms|millisecond|milliseconds|milidetik|毫秒", "s|second|seconds|sec|detik|秒",
     "minute|minutes|min|menit|分钟", "hour|hours|jam|小时", "day|days|hari|天|日",
     "week|weeks|minggu|pekan|周|星期", "month|months|bulan|个月", "year|years|tahun|年"),
    ("inch|inches", "foot|feet", "yard|yards",
     "mm|millimetre|millimetres|millimeter|millimeters|毫米",
     "cm|centimetre|centimetres|centimeter|centimeters|厘米",
     "m|metre|metres|meter|meters|米", "km|kilometre|kilometres|kilometer|kilometers|公里|千米",
     "mile|miles", "hectare|hectares", "acre|acres"),
    ("mg|milligram|milligrams|miligram|毫克", "g|gram|grams|克",
     "kg|kilogram|kilograms|kilo|kilos|公斤|千克", "ton|tons|tonne|tonnes|吨", "pound|pounds|lb",
     "ounce|ounces|oz", "stone|stones", "microgram|micrograms|µg"),
    ("ml|millilitre|millilitres|milliliter|milliliters|毫升", "l|litre|litres|liter|liters|升",
     "gallon|gallons", "pint|pints"),
    ("watt|watts|w|瓦", "kilowatt|kilowatts|kw|千瓦", "megawatt|megawatts|mw"),
    ("volt|volts|v|伏", "ampere|amperes|amps", "ohm|ohms"),
    ("joule|joules", "calorie|calories", "kilojoule|kilojoules|kj"),
    ("decade|decades", "century|centuries"),
    ("hz|hertz", "khz|kilohertz", "mhz|megahertz", "ghz|gigahertz"),
    ("%|percent|per cent|persen", "‰|permille"),
    ("dollar|dollars|usd|$|美元", "euro|euros|eur|€|欧元", "rupiah|rp|idr", "yuan|元|人民币"),
    ("°c|celsius", "°f|fahrenheit"),
    ("thousand|ribu", "million|juta", "billion|miliar", "trillion|triliun"),
)  # fmt: skip
_DAYS = (
    "monday|mondays|senin|星期一|周一", "tuesday|tuesdays|selasa|星期二|周二",
    "wednesday|wednesdays|rabu|星期三|周三", "thursday|thursdays|kamis|星期四|周四",
    "friday|fridays|星期五|周五", "saturday|saturdays|sabtu|星期六|周六",
    "sunday|sundays|星期日|星期天|周日",
)  # fmt: skip
_MONTHS = (
    "january|jan|januari", "february|feb|februari", "march|mar|maret", "april|apr", "may|mei",
    "june|jun|juni", "july|jul|juli", "august|aug|agustus", "september|sep|sept",
    "october|oct|oktober", "november|nov", "december|dec|desember",
)  # fmt: skip
NUMBER_WORDS: Mapping[str, str] = (
    {
        word: str(value)
        for words in (
            "zero one two three four five six seven eight nine ten eleven twelve",
            "nol satu dua tiga empat lima enam tujuh delapan sembilan sepuluh sebelas",
            "零 一 二 三 四 五 六 七 八 九 十",
            "zeroth once twice thrice",
        )
        for value, word in enumerate(words.split())
    }
    | {
        word: str(value)
        for start, step, words in (
            (12, 1, "twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"),
            (20, 10, "twenty thirty forty fifty sixty seventy eighty ninety hundred"),
        )
        for value, word in zip(range(start, 101, step), words.split(), strict=False)
    }
    | {"两": "2"}
)
LEAST_COUNTED = 2
"""Number words from this value on are values: "one" and "一" mostly are none."""


@cache
def phrases() -> Mapping[tuple[str, ...], frozenset[Mark]]:
    """Return what each word or phrase does, by its folded words or its characters."""
    found: dict[tuple[str, ...], set[Mark]] = {}
    for text, mark in _entries():
        if not text.endswith("*"):
            key = tuple(text) if _is_dense(text) else tuple(text.split())
            found.setdefault(key, set()).add(mark)
    return {key: frozenset(marks) for key, marks in found.items()}


@cache
def stems() -> Mapping[str, frozenset[Mark]]:
    """Return what words do of which only the stem is given."""
    found: dict[str, set[Mark]] = {}
    for text, mark in _entries():
        if text.endswith("*"):
            found.setdefault(text[:-1], set()).add(mark)
    return {key: frozenset(marks) for key, marks in found.items()}


@cache
def marks_of(word: str) -> frozenset[Mark]:
    """Return what a single folded word does.

    >>> sorted(mark.kind for mark in marks_of("decapsulation"))
    ['opposite']
    """
    own = phrases().get((word,), frozenset())
    begun = [marks for start, marks in _stems_of(word[:START]) if word.startswith(start)]
    return own.union(*begun)


START = 2
"""Letters that every stem has at least."""


@cache
def _stems_of(start: str) -> tuple[tuple[str, frozenset[Mark]], ...]:
    """Return the stems that begin with some letters, and what words with them do."""
    return tuple(item for item in stems().items() if item[0].startswith(start))


def _entries() -> Iterator[tuple[str, Mark]]:
    for (kind, value), text in _PLAIN.items():
        yield from ((word, Mark(kind, value)) for word in alternatives(text))
    for name, sides in _axes():
        for side, text in enumerate(sides):
            yield from ((word, Mark("opposite", name, side)) for word in alternatives(text))
    for dimension in UNITS:
        for side, text in enumerate(dimension):
            name = alternatives(dimension[0])[0]
            yield from ((word, Mark("unit", name, side)) for word in alternatives(text))
    for side, text in enumerate(_MONTHS, 1):
        yield from ((word, Mark("month", "", side)) for word in alternatives(text))
    for side, text in enumerate(_DAYS, 1):
        yield from ((word, Mark("day", "", side)) for word in alternatives(text))


def _axes() -> Iterator[tuple[str, tuple[str, ...]]]:
    for sides in OPPOSITES:
        yield alternatives(sides[0])[0], sides
    for words in LANGUAGES:
        for sides in (*words.relations, *words.opposites):
            first = alternatives(sides[0])[0]
            if first not in SKIPPED:
                yield f"{words.language} {first}", sides


def _is_dense(text: str) -> bool:
    return bool(text) and "\u3400" <= text[0] <= "\u9fff"
