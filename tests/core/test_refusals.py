"""What is a refusal, and what is an answer that a refusal could be taken for."""

import pytest

from research_agent.core.claims import Claim
from research_agent.core.refusals import (
    MISSING,
    is_all_missing,
    is_refusal,
    says_missing,
    without_missing,
)
from research_agent.core.support import Support

REFUSALS = (
    "not found in provided docs",
    "Not found in provided docs. [c1]",
    "**Not found in provided docs.**",
    "Not found.",
    "Not found in the documents.",
    "Answer: not found in provided docs",
    "Not mentioned in the provided context.",
    "The provided documents do not contain this information.",
    "The provided documents don\u2019t mention the OID of ML-DSA-65.",
    "The context does not specify the price of a ticket [c2].",
    "The given text does not explicitly state who wrote it.",
    "None of the documents mention the key size.",
    "The provided excerpts contain no information about bread.",
    "The documents say nothing about it.",
    "The retrieved chunks are insufficient to answer the question.",
    "The OID of ML-DSA-65 is not specified in the provided documents.",
    "The release date isn't mentioned anywhere in the given context.",
    "This information is not available in the provided sources.",
    "The answer cannot be determined from the context.",
    "The question cannot be answered based on the provided documents.",
    "There is no information about the price in the provided documents.",
    "There is not enough information to answer the question.",
    "No information about bread was found in the documents.",
    "No relevant results were found.",
    "Insufficient information.",
    "Not enough context to answer this question.",
    "I don't know.",
    "I do not have enough information to answer that.",
    "I'm sorry, but I cannot find that in the provided documents.",
    "Unfortunately, I could not find an answer. Please provide more context.",
    "Based on the provided documents, there is no mention of a fee in the context.",
    "Sorry. The given context doesn't cover this. You may want to consult the vendor.",
    "It is not possible to determine the price from the provided text.",
    "Unknown.",
    "N/A",
    "Tidak ditemukan.",
    "Tidak ditemukan dalam dokumen yang diberikan.",
    "Dokumen yang diberikan tidak menyebutkan harga tiket.",
    "Maaf, saya tidak dapat menemukan jawabannya.",
    "Tidak ada informasi tentang harga tiket dalam dokumen.",
    "Informasi tersebut tidak tersedia dalam konteks yang diberikan.",
    "Harga tiket tidak disebutkan dalam dokumen yang tersedia [c1].",
    "Berdasarkan dokumen yang diberikan, tidak ada informasi tentang biaya itu.",
    "Tidak diketahui.",
    "提供的文档中没有提到票价。",
    "抱歉\uff0c我无法回答这个问题。",
    "根据提供的资料\uff0c没有找到相关信息。",
    "未找到。",
    "上下文中未提及该算法的密钥长度。",
    "没有足够的信息来回答这个问题。",
    "无法确定。",
    "Nicht gefunden.",
    "Die bereitgestellten Dokumente enthalten keine Angaben zum Preis.",
    "Leider gibt der Kontext darüber nichts an. Bitte stellen Sie weitere Dokumente bereit.",
    "Der Preis wird in den bereitgestellten Dokumenten nicht genannt.",
    "Es gibt keine Informationen über den Preis.",
    "Ich kann die Frage nicht beantworten.",
    "Les documents fournis ne mentionnent pas le prix.",
    "Je ne sais pas.",
    "Aucune information n'est disponible dans les documents.",
    "Désolé, la réponse n'apparaît pas dans les documents fournis.",
    "Los documentos proporcionados no mencionan el precio.",
    "No se encontró información sobre el precio.",
    "Lo siento, no puedo responder a la pregunta.",
    "No hay información suficiente en los documentos.",
)
ANSWERS = (
    "It says `not found` [c1].",
    "A refusal says not found in provided docs [c1].",
    "The error 404 means that the page was not found [c1].",
    "FIPS 203 does not specify key sizes for X-Wing [c2].",
    "This standard does not specify how random bits are generated [c1].",
    "The document does not specify the colour [c1].",
    "ML-KEM is not found in FIPS 204 [c1].",
    "The key is not stored in the file [c1].",
    "The price is not given in FIPS 203, but it is 5 euros [c1].",
    "The documents do not mention the price, but the weight is 5 kg [c1].",
    "Not found in provided docs. However, ML-KEM-768 has a key of 1184 bytes [c1].",
    "The provided documents do not mention the price. The weight is 5 kg [c1].",
    "A ciphertext that cannot be decrypted is rejected [c1].",
    "There is no evidence that smoking helps [c1].",
    "There is no proof of security in the random oracle model [c1].",
    "No keys are stored on the card [c1].",
    "No results of the election were found to be wrong [c1].",
    "None of the algorithms use floating-point numbers [c1].",
    "It is impossible to derive the key from the ciphertext [c1].",
    "The seed is unknown to the attacker [c1].",
    "That optimization is not included in this document [c1].",
    "The users do not have access to the documents [c1].",
    "I do not eat meat, she said [c1].",
    "The plaintiff could not find the contract [c1].",
    "You may use ML-KEM-768 [c1].",
    "Please restart the server [c1].",
    "If the check fails, an error is returned [c1].",
    "Unknown fields are ignored [c1].",
    "Insufficient funds lead to error 51 [c1].",
    "The key size is 1184 bytes [c1].",
    "",
    "[c1]",
    "Tiket tidak dapat dikembalikan [c1].",
    "Kunci tidak disimpan di server [c1].",
    "Saya makan roti [c1].",
    "Tidak ada biaya tambahan untuk bagasi [c1].",
    "Dokumen yang diberikan tidak menyebutkan harga. Beratnya 5 kg [c1].",
    "密钥没有存储在服务器上 [c1]。",
    "该算法不使用浮点数 [c1]。",
    "不需要密码 [c1]。",
    "文档中没有提到价格。重量是 5 公斤 [c1]。",
    "Der Schlüssel wird nicht gespeichert [c1].",
    "Der Antrag wurde nicht angenommen [c1].",
    "Die Dokumente nennen den Preis nicht, aber das Gewicht ist 5 kg [c1].",
    "La clé n'est pas stockée [c1].",
    "Les documents sont conservés dix ans [c1].",
    "La clave no se almacena en el servidor [c1].",
    "No es necesario pagar la tasa [c1].",
    "Los documentos no mencionan el precio. El peso es de 5 kg [c1].",
)
PARTLY = (
    "The document does not specify the colour.",
    "The text does not say who made it.",
    "The colour is not specified in this document.",
    "There is no information about the colour.",
    "Dokumen ini tidak menyebutkan warnanya.",
    "该文档没有提到颜色。",
    "Das Dokument nennt die Farbe nicht.",
    "Le document ne précise pas la couleur.",
    "El documento no especifica el color.",
)
RED = "The hose is red."


@pytest.mark.parametrize("text", REFUSALS)
def test_refusals(text: str) -> None:
    """Whatever the wording and the language, a reply that refuses is a refusal."""
    assert is_refusal(text)


@pytest.mark.parametrize("text", ANSWERS)
def test_answers(text: str) -> None:
    """A reply that says something, or that may be a true negative statement, is none."""
    assert not is_refusal(text)


@pytest.mark.parametrize("text", PARTLY)
def test_sentences_about_what_is_missing(text: str) -> None:
    """They are no refusal by themselves: only the quotes tell whether a document says so."""
    assert (True, False) == (says_missing(text), is_refusal(text) and "information" not in text)


def supported(text: str, quote: str) -> Claim:
    return Claim(text, ("c1",), (Support(0.9, quote, 0, len(quote)),), "supported")


def test_what_is_missing_is_no_claim() -> None:
    """Words of the question alone do not carry it; other claims stay as they are."""
    good = supported(RED, RED)
    (kept, gone) = without_missing([good, supported(PARTLY[0], "The document says the colour.")])

    assert good == kept
    assert ("unsupported", MISSING, ()) == (gone.verdict, gone.problem, gone.keys)
    assert not is_all_missing([kept, gone])
    assert is_all_missing([gone])
    assert not is_all_missing([])


def test_true_negative_statement_is_a_claim() -> None:
    """The quote says so itself."""
    quote = "This document does not specify the colour of hoses."
    claim = supported(PARTLY[0], quote)

    assert (claim,) == without_missing([claim])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The hose is red, but the documents do not mention its length.", RED),
        ("The hose is red; however, the document does not specify its length.", RED),
        ("Selangnya merah, tetapi dokumen tidak menyebutkan panjangnya.", "Selangnya merah."),
        ("软管是红色的\uff0c但文档没有提到长度。", "软管是红色的。"),
        (
            "Der Schlauch ist rot, aber die Dokumente nennen die Länge nicht.",
            "Der Schlauch ist rot.",
        ),
    ],
)
def test_sentence_of_two_parts(text: str, said: str) -> None:
    """What is said stays, what is missing is told apart."""
    first, second = without_missing([supported(text, "red merah 红 rot")])

    assert (said, "supported") == (first.text, first.verdict)
    assert ("unsupported", MISSING) == (second.verdict, second.problem)


@pytest.mark.parametrize("text", ["a " * 100_000, "not " * 400, "\uff0c但" * 500, "." * 5000])
def test_odd_texts_end_quickly(text: str) -> None:
    """Long and strange replies are no refusals, and take no time."""
    assert not is_refusal(text)
    assert not says_missing(text)
