"""The words of a language by which a question wants a figure, a time, a name or an identifier."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedWords:
    """One language's words; a word may end in `*`: any ending. They stand in the question."""

    language: str
    quantity: tuple[str, ...]
    """Words that ask for a number."""
    date: tuple[str, ...]
    """Words that ask for a day, a month or a year."""
    name: tuple[str, ...]
    """Words that ask for what has a name of its own: a place, an organisation."""
    measure: tuple[str, ...]
    """What is a number: a size, a rate."""
    identifier: tuple[str, ...]
    """What has digits in its name: a version, a code point."""
    which: tuple[str, ...]
    """Words before a measure or an identifier that make it what is asked for."""
    figures: tuple[str, ...]
    """Number words; they answer a question for a number."""
    times: tuple[str, ...]
    """Names of months, and words by which an event tells a time."""
    spaced: bool = True
    """Whether the language puts spaces between words."""


ENGLISH = AskedWords(
    language="english",
    quantity=(
        "how many", "how much", "how large", "how long", "how big", "how fast", "how old",
        "how far", "how tall", "how high", "how heavy", "how wide", "how deep", "how often",
        "number of", "in bytes", "in bits", "in seconds", "in percent", "in dollars", "in euros",
    ),
    date=(
        "when is", "when are", "when was", "when were", "when will", "when did", "when does",
        "when do", "when should", "when must", "when can", "when has", "when have", "when may",
        "since when", "until when", "by when", "what year", "which year", "what date", "which date",
        "what day", "which day", "what month", "which month", "what deadline", "which deadline",
    ),
    name=(
        "which city", "what city",
        "which country", "what country", "which place", "what place", "which town",
        "which company", "what company", "which companies", "what companies",
        "which organi*", "which two organi*", "which three organi*", "what organi*",
        "which two companies", "which university", "what university",
    ),
    measure=(
        "size", "sizes", "length", "lengths", "percentage", "fraction", "price", "prices",
        "duration", "weight", "height", "width", "temperature", "fee", "salary", "speed",
        "distance", "depth", "frequency", "age",
    ),
    identifier=(
        "version*", "revision*", "code point*", "codepoint*", "object identifier*", "oid",
        "oids", "port number", "doi", "isbn", "number",
    ),
    which=("which", "what", "what is the", "what are the", "what's the"),
    figures=(
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve", "dozen", "hundred*", "thousand*", "million*", "billion*", "half",
        "twice", "once", "no", "none", "never", "always", "every", "daily", "weekly",
        "monthly", "yearly", "annually", "hourly", "single", "both", "pair", "free", "nothing",
        "a second", "a minute", "an hour", "a day", "a week", "a month", "a year", "a quarter",
        "a third", "unlimited", "any", "all", "until", "whenever", "while", "during",
        "forever", "empty",
    ),
    times=(
        "january", "february", "march", "april", "may", "june", "july", "august",
        "september", "october", "november", "december", "immediately", "today", "yesterday",
        "tomorrow", "before", "after", "once", "during", "while", "if", "until", "whenever",
        "as soon as", "when", "always", "never", "every", "daily",
    ),
)  # fmt: skip
INDONESIAN = AskedWords(
    language="indonesian",
    quantity=("berapa banyak", "berapa", "seberapa"),
    date=("kapan", "tahun berapa", "tanggal berapa", "bulan apa", "hari apa"),
    name=("kota mana", "negara mana", "di kota apa", "perusahaan mana"),
    measure=("ukuran", "panjang", "harga", "durasi", "suhu"),
    identifier=("versi", "revisi", "nomor"),
    which=("mana", "apa", "berapa"),
    figures=(
        "nol", "satu", "dua", "tiga", "empat", "lima", "enam", "tujuh", "delapan", "sembilan",
        "sepuluh", "sebelas", "belas", "puluh", "ratus", "seratus", "ribu", "seribu", "juta",
        "sejuta", "setengah", "sekali", "tidak ada", "selalu",
    ),
    times=(
        "januari", "februari", "maret", "april", "mei", "juni", "juli", "agustus",
        "september", "oktober", "november", "desember", "sebelum", "sesudah", "setelah",
        "ketika", "saat", "jika", "sampai",
    ),
)  # fmt: skip
CHINESE = AskedWords(
    language="chinese",
    quantity=("多少", "几个", "多大", "多长", "多久", "多快", "多高", "多远"),
    date=("何时", "什么时候", "哪一年", "哪年", "几月", "哪天", "几号"),
    name=("哪个城市", "哪个国家", "哪家公司", "哪个组织"),
    measure=("长度", "大小", "价格", "温度"),
    identifier=("版本", "编号", "标识符"),
    which=("哪个", "什么", "多少"),
    figures=(
        "零", "一", "二", "两", "三", "四", "五", "六", "七", "八", "九", "十", "百",
        "千", "万", "半",
    ),
    times=("年", "月", "日", "之前", "之后", "以前", "以后", "当", "如果"),
    spaced=False,
)  # fmt: skip
ASKED_WORDS = (ENGLISH, INDONESIAN, CHINESE)
