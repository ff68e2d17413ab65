"""The main job with the embedded model: real documents, a real answer, a real refusal."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.data_sets import data_set
from tests.interfaces.commands import in_a_process
from tests.needed import needed_weights

pytestmark = pytest.mark.live
DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module", autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One data folder, so that what two questions are asked of is indexed once."""
    needed_weights("1.5b", "0.5b")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("RESEARCH_AGENT_HOME", str(tmp_path_factory.mktemp("home")))
        yield


def ask(question: str, docs: Path, folder: Path) -> dict[str, Any]:
    done = in_a_process("ask", question, "--docs", str(docs), "--json", folder=folder)
    assert 0 == done.returncode, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def test_question_that_the_docs_answer(tmp_path: Path) -> None:
    """The project's own documentation is searched, and the answer cites it with its words."""
    question = "How is retrieval confidence computed, and when does it bypass rewriting?"
    result = ask(question, DOCS, tmp_path)

    assert "answered" == result["status"]
    assert "concentration" in result["answer"]
    assert "0.25" in result["answer"]
    assert {"algorithms"} == {citation["doc_id"] for citation in result["citations"]}
    assert "logprobs" == result["uncertainty"]["source"]
    chunks = {item["key"]: item["hit"]["chunk"]["text"] for item in result["evidence"]}
    for citation in result["citations"]:
        assert citation["quote"] in chunks[citation["key"]]


def test_question_that_the_docs_do_not_answer(tmp_path: Path) -> None:
    """What the documents do not hold is refused in the words of the contract."""
    result = ask("What does a train ticket from Jakarta to Bandung cost?", DOCS, tmp_path)

    assert ("refused", "not found in provided docs") == (result["status"], result["answer"])
    assert [] == result["citations"]
    assert result["refusal_reason"]


def test_table_of_a_real_standard_is_cited_by_page(tmp_path: Path) -> None:
    """FIPS 203 gives the sizes in table 3, PDF page 48, printed 39."""
    question = (
        "What are the exact sizes in bytes for the encapsulation key and ciphertext "
        "when using the ML-KEM-768 parameter set?"
    )
    result = ask(question, data_set("nist-pqc", "pdf", "NIST.FIPS.203.pdf"), tmp_path)

    assert "1184" in result["answer"]
    assert ("NIST.FIPS.203", 48, "39") in [
        (c["doc_id"], c["start_page"], c["start_label"]) for c in result["citations"]
    ]
