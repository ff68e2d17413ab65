"""Questions made from passages: which are tried, what each has to pass, and what is kept."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest

from research_agent.context import RunContext
from research_agent.errors import ModelReplyError
from research_agent.evaluation.making import NONSENSE, Attempt, Kept, Maker, make
from research_agent.evaluation.passages import Kind, Task, shuffled, tasks, wanted
from research_agent.ports import Ports
from research_agent.settings import Settings
from research_agent.types import Chunk, Completion, Hit
from research_agent.types.references import Edge
from research_agent.types.scope import Scope
from tests.fakes import (
    NO,
    PROMPTS,
    YES,
    MemoryChunks,
    MemoryVectors,
    MemoryWords,
    ScriptedChat,
    WordEmbedder,
    ports,
    says,
)

KILN = (
    "The kiln of Orsova was built by Petra Lind in 1911 from yellow brick. It holds 640 pots and "
    "is fired with beech wood for three days, twice in every year but the war years."
)
LIND = (
    "Petra Lind was born in the town of Visk in 1874. She learned her trade from an uncle who made "
    "roof tiles, and left the works in 1932 after a quarrel about wages of the firemen."
)
OVEN = "| oven | litres |\n| small | 35 |\n| large | 90 |"
FACT = {
    "question": "Who built the kiln of Orsova?",
    "answer": "Petra Lind built it.",
    "quotes": ["was built by Petra Lind in 1911"],
    "facts": ["Petra Lind"],
}
HOPS = {
    "question": "Where was the builder of the Orsova kiln born?",
    "answer": "In Visk.",
    "quotes": ["was built by Petra Lind in 1911", "was born in the town of Visk"],
    "facts": ["Visk"],
}


def passage(text: str, doc: str, order: int = 0, **more: str) -> Chunk:
    name = f"{doc}-{order}"
    found = Chunk(name, doc, text, 3, 4, order=order, source=f"/docs/{doc}.pdf")
    return replace(found, **more)  # type: ignore[arg-type]


CHUNKS = (
    passage(KILN, "kilns"),
    passage(LIND, "people"),
    passage(OVEN, "ovens", kind="table"),
    passage("See page 3.", "kilns", 9),
)


def over(model: ScriptedChat, checker: ScriptedChat, edges: Sequence[Edge] = ()) -> Ports:
    return replace(
        ports(model, verifier=checker),
        vectors=MemoryVectors(CHUNKS),
        lexical=MemoryWords(CHUNKS),
        chunks=MemoryChunks(CHUNKS, edges),
    )


def attempted(kind: Kind, reply: object, *checks: Completion, at: Sequence[int] = (0,)) -> Attempt:
    text = reply if isinstance(reply, str) else json.dumps(reply)
    run = RunContext(over(ScriptedChat(says(text)), ScriptedChat(*checks)), Settings(), PROMPTS)

    def search(_question: str, scope: Scope) -> list[Hit]:
        return [Hit(chunk) for chunk in CHUNKS if scope.admits(chunk)]

    beside = (CHUNKS[at[0]].chunk_id,)
    return Maker(run, search).attempt(Task(kind, tuple(CHUNKS[x] for x in at), beside))


def test_question_has_pages_quotes_and_facts() -> None:
    row = attempted("single", FACT, YES)

    place = {"doc_id": "kilns", "start_page": 3, "end_page": 4}
    assert row == {
        "question": "Who built the kiln of Orsova?",
        "answerable": True,
        "kind": "single",
        "gold": [{**place, "quote": "was built by Petra Lind in 1911"}],
        "required_facts": [["Petra Lind"]],
        "gold_answer": "Petra Lind built it.",
    }


def test_two_hops_need_both_passages() -> None:
    """Asked with both, then with each: one that is enough alone shows that it is no hop."""
    kept = attempted("hops", HOPS, YES, NO, NO, at=(0, 1))

    assert isinstance(kept, dict)
    assert ["kilns", "people"] == [gold["doc_id"] for gold in kept["gold"]]
    assert "one of two passages is enough" in attempted("hops", HOPS, YES, NO, YES, at=(0, 1))


def test_question_without_answer_is_asked_of_what_is_left() -> None:
    """The passage is left out of the scope, and nothing else may answer it."""
    left_out = attempted("left-out", FACT, YES, NO)
    near = attempted("near-miss", {"question": "Who paid for the kiln?", "why": "Only who."}, NO)

    assert isinstance(left_out, dict)
    assert isinstance(near, dict)
    assert (["kilns-0"], False, []) == tuple(
        left_out[name] for name in ("left_out", "answerable", "gold")
    )
    assert "kilns, PDF pages 3-4" in left_out["why"]
    assert ("Only who.", []) == (near["why"], near["left_out"])
    assert "other passages" in attempted("left-out", FACT, YES, YES)


@pytest.mark.parametrize(
    ("reply", "check", "why"),
    [
        ("I cannot do that.", YES, "no question"),
        (FACT | {"question": "Who?"}, YES, "no question"),
        (FACT | {"quotes": ["was built by Peter Lind in 1911"]}, YES, "letter by letter"),
        (FACT | {"quotes": []}, YES, "letter by letter"),
        (FACT | {"facts": ["Orsova", "1912"]}, YES, "no fact"),
        (FACT | {"facts": [3]}, YES, "no fact"),
        (FACT | {"answer": ""}, YES, "no answer"),
        (FACT | {"question": "Zzz qqq xxx yyy vvv?"}, NO, "does not answer"),
        (FACT, NO, "does not answer"),
        (FACT, says("perhaps"), "neither yes nor no"),
    ],
)
def test_question_that_cannot_be_trusted_is_dropped_with_the_reason(
    reply: object, check: Completion, why: str
) -> None:
    found = attempted("single", reply, check)

    assert isinstance(found, str)
    assert why in found


def test_passages_fit_the_kind() -> None:
    edge = Edge("kilns-0", "people-0", "mention")
    given = over(ScriptedChat(YES), ScriptedChat(YES), [edge])
    chunks = given.chunks.chunks(shuffled([chunk.chunk_id for chunk in CHUNKS], 1))

    def found(kind: Kind, *used: str) -> list[str]:
        return [
            " ".join(chunk.chunk_id for chunk in task.chunks)
            for task in tasks(kind, chunks, given, set(used))
        ]

    assert ["ovens-0"] == found("table")
    assert ["kilns-0", "people-0"] == sorted(found("single"))
    assert "kilns-0 people-0" in found("hops")
    assert 1 == len(found("comparison"))


def test_every_kind_has_its_share() -> None:
    assert {
        "single": 16,
        "table": 10,
        "comparison": 7,
        "hops": 7,
        "left-out": 5,
        "near-miss": 5,
    } == (wanted(50))


def made(
    outcomes: Callable[[Task], Attempt], counts: dict[Kind, int]
) -> tuple[Kept, list[Attempt]]:
    def stream(kind: Kind) -> Iterator[Task]:
        return (Task(kind, (passage("", kind, at),)) for at in range(0 if kind == "hops" else 40))

    kept = Kept(WordEmbedder().embed)
    streams = {kind: stream(kind) for kind in counts}
    return kept, list(make(streams, counts, lambda batch: map(outcomes, batch), kept))


def asks(task: Task) -> Attempt:
    return {"question": f"What of thing{task.chunks[0].order}{task.kind[0]}x?"}


def test_lacking_kinds_are_made_of_single_facts() -> None:
    kept, attempts = made(asks, {"single": 3, "hops": 2})

    assert 5 == len(kept.rows) == len(attempts)


def test_near_duplicates_are_dropped() -> None:
    kept, _ = made(lambda _: {"question": "Who built it?"}, {"single": 2})

    assert 1 == len(kept.rows)
    assert "another question asks the same" in kept.told()


def test_model_that_writes_nonsense_is_given_up_and_counted() -> None:
    with pytest.raises(ModelReplyError, match=rf"none of {NONSENSE} .* {NONSENSE}: no quote"):
        made(lambda _: "no quote", {"single": NONSENSE})
