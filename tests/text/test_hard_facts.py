"""Numbers, dates, identifiers and quotations are found however they are printed."""

import pytest

from research_agent.text.hard_facts import Fact, hard_facts


def statuses(sentence: str, *texts: str, window: str = "") -> list[str]:
    return [fact.status for fact in hard_facts(sentence, texts, window=window)]


@pytest.mark.parametrize(
    ("sentence", "evidence"),
    [
        ("It takes 10^12 steps.", "10¹² steps"),
        ("It takes 1e12 steps.", "10^{12} steps"),
        ("It takes 2^-3 steps.", "0.125 steps"),
        ("It takes 2^64 steps.", "264 steps"),  # an exponent that lost its place
        ("It has 49,856 bytes.", "49 856 bytes"),
        ("It has 49,856 bytes.", "49\u202f856 bytes"),
        ("It has 49.856 bytes.", "49'856 bytes"),
        ("Es sind 1,5 m.", "It is 1.50 m."),
        ("It takes 2.5 hours.", "2\u00bd hours"),
        ("It takes 2\u00bd hours.", "2 1/2 hours"),
        ("It takes 2 \u00bd hours.", "2,50 hours"),
        ("A 2\u00bd-inch pipe", "2.5 inches"),
        ("It is locked at 22.30.", "22:30"),
        ("It is locked at 22:30.", "22.30 Uhr"),
        ("It is locked at 10:30 pm.", "22:30"),
        ("It is locked at 22:30.", "22 h 30"),
        ("It is locked at 8 am.", "8:00 am"),
        ("It is locked at 8:00.", "08.00 Uhr"),
        ("It takes 15 minutes.", "at 3:15"),
        ("In 1998/99", "1998-1999"),
        ("In 1998-1999", "1998/99"),
        ("A 384-bit key", "384 bits"),
        ("Below \u22125 degrees", "-5 degrees"),
        ("About 50 %", "50 percent"),
        ("السعر ١٢٣٤", "1,234"),
        ("密钥有1184字节。", "1184 字节"),
        ("On 2024-05-13", "13.05.2024"),
        ("On 2024-05-13", "May 13, 2024"),
        ("On 3 March 2023", "Protocol of 03.03.23"),
        ("On 03.03.2023", "Protocol of 03.03.23"),
        ("On 03.03.98", "3 March 1998"),
        ("SHA3-256 is used", "sha3 256"),
        ("Es kostet 1.234,5 Euro.", "1\u202f234,50 \u20ac"),
        ("可以从CD-ROM安装", "您可以使用CD-ROM安装系统"),
        ("PDF는 된다", "PDF를 지원한다"),
        ("Eine PDF-Datei", "alle PDF-Dateien"),
        ("USB-накопителя", "нужен USB-накопитель"),
        ("Die Kunden-ID", "die ID des Kunden"),
        ("Eine 64-Bit-Architektur", "64-Bit-Architekturen"),
        ("KEMs of NIST", "a nist kem"),
        ("call encode_key", "call encodeKey"),
        ('"to be, or not"', "To be or NOT to be"),
        ("「你好吗」", "他说你好吗。"),
        ("«Guten Tag … Herr»", "guten Tag, lieber Herr"),
    ],
)
def test_held(sentence: str, evidence: str) -> None:
    assert {"held"} == set(statuses(sentence, evidence)), hard_facts(sentence, [evidence])


@pytest.mark.parametrize(
    ("sentence", "evidence"),
    [
        ("It has 1088 bytes.", "1184 bytes"),
        ("It has 234 bytes.", "1,234,567 bytes"),
        ("It takes 21 hours.", "2\u00bd hours"),
        ("It is locked at 22:45.", "22:30"),
        ("It is locked at 22.45.", "22:30"),
        ("It is locked at 8:00.", "8:15"),
        ("In the year 2003", "1999-03"),
        ("On 2024-05-13", "On 2024-06-14"),
        ("On 13.05.24", "On 13.05.25"),
        ("In 2023", "Address 10.03.03.23"),
        ("ML-KEM-768", "ML-KEM-7680 and ML-KEM-512"),
        ("The FBI", "fbix and afbi"),
        ("Eine PDF-Datei", "Dateien als PDFX"),
        ("The Windows-10 disk", "Windows-11, 10 disks"),
        ('He said "never"', "He said nothing"),
    ],
)
def test_missing(sentence: str, evidence: str) -> None:
    assert ["missing"] == statuses(sentence, evidence), hard_facts(sentence, [evidence])


def test_arithmetic_is_neither_held_nor_missing() -> None:
    for text in ("100", "20", "2400", "1.5", "66.7", "150"):
        assert ["computed"] == statuses(f"{text} in all", "", window="40 and 60"), text
    assert ["computed"] == statuses("1,200 in all", "", window="1,184")
    assert ["missing"] == statuses("2,000 watts", "", window="2,200 watts")
    assert ["computed"] == statuses("1.5 million", "", window="1,500,000")
    assert ["computed"] == statuses("There are 3 sets.", "three sets")
    assert ["missing"] == statuses("777 in all", "", window="40 and 60")
    assert ["missing"] == statuses("100 in all", "", window="40 and 58")


def test_sums_of_neighbours_are_computed() -> None:
    """Also of those that the sentence lists; not of any numbers that stand apart."""
    listed = "rye 1,500 g, water 830 g, salt 25 g"
    assert ["computed"] == statuses("2,355 g in all", "", window=f"In 1998: {listed}.")
    assert ["held"] * 3 + ["computed"] == statuses(f"{listed}: 2355 g", listed)
    assert ["computed"] == statuses("6.75 m", "", window="1.25 m, 2.5 m and 3 m")
    assert ["missing"] == statuses("2,353 g in all", "", window=f"{listed} for 1998")


def test_a_number_more_or_less_by_a_percentage_is_computed() -> None:
    """Also of a number of an earlier sentence; numbers of few digits are hit by chance."""
    net = Fact("number", "8,529.92", "computed", ("4,153.85", "4,376.07"))
    (_, gross) = hard_facts("With 17 % it is 9,980.01.", ["17 %"], earlier=[net])
    assert ("computed", ("17", *net.operands)) == (gross.status, gross.operands)
    assert ["computed"] == statuses("79.56", "", window="68 plus 17 %")
    assert ["computed"] == statuses("56.44", "", window="68 less 17 %")
    assert ["missing"] == statuses("351", "", window="300 plus 17 %")


def test_small_letters_with_accents_make_no_identifier() -> None:
    for sentence in ("Wartość wynosi", "Příští třídění", "được cài đặt", "Kļūdu ziņošana"):
        assert [] == statuses(sentence, ""), sentence


def test_markers_are_no_numbers() -> None:
    assert [] == statuses("2. It rains [c1].", "")


@pytest.mark.parametrize(
    "sentence", ["", "…", "x" * 5000, "1" * 5000, "1 " * 2500, "2^99999999999"]
)
def test_nothing_hangs(sentence: str) -> None:
    assert all(status != "held" for status in statuses(sentence, "a text", window="2 3"))
