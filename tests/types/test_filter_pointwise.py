"""The filter that asks yes or no, hit by hit; and the modes that ask nobody."""

import math

import pytest

from research_agent.errors import ModelUnavailableError
from research_agent.types import Alternative, Completion, Hit, ModelCall, Token
from research_agent.types.budget import Allowance
from tests.fakes import NO, YES, ScriptedChat, WordCount, chunk, says
from tests.planning.filters import Kept, hits, run, settings

POINTWISE = settings(mode="pointwise")


def sure(probability: float) -> Completion:
    """Return "yes" with this probability, and "no" with the rest."""
    shown = (
        Alternative("yes", math.log(probability)),
        Alternative("no", math.log(1 - probability)),
    )
    return Completion("yes", ModelCall("filter", 100, 1), tokens=(Token("yes", 0.0, shown),))


def test_probability_decides() -> None:
    """From `min_relevance` on a hit is kept; the probability is on record."""
    model = ScriptedChat(sure(0.9), sure(0.29), sure(0.31))
    done = run(model, hits(3), POINTWISE)

    assert [0, 2] == done.kept
    assert [0.9, 0.29, 0.31] == [round(d.relevance or 0, 2) for d in done.stats.decisions]
    assert 300 == done.stats.prompt_tokens


def test_at_most_so_many_are_judged() -> None:
    """The others are undecided without a note, and kept by rank where there is room."""
    model = ScriptedChat(YES, NO, YES)
    done = run(model, hits(16), settings(mode="pointwise", max_judged=3), max_chunks=5)

    assert 3 == len(model.asked)
    assert [0, 2, 3, 4, 5] == done.kept
    assert (8, 5) == (done.stats.original, done.stats.undecided)
    assert ("", ()) == (done.stats.fallback, done.notes)
    assert ("undecided", "not_asked") == done.verdicts[3]


def test_passages_are_short_and_share_their_prefix() -> None:
    """Question first, chunk last, no more than `passage_tokens` of it, and no score."""
    long = [Hit(chunk(f"{'Fill words. ' * 80}A key of {i} bytes.", i), 1, 0.8) for i in range(2)]
    model = ScriptedChat(YES)
    run(model, long, settings(mode="pointwise", passage_tokens=20))
    prompts = [text for _, text, _ in model.asked]

    start = prompts[0].index("<chunk ")
    assert prompts[0][:start] == prompts[1][:start]
    assert "How many bytes" in prompts[0][:start]
    for i, prompt in enumerate(prompts):
        inside = prompt[prompt.index(">", start) + 1 : prompt.index("</chunk>")]
        assert WordCount().count(inside) <= 20
        assert f"A key of {i} bytes" in inside
        assert "score=" not in prompt


def test_first_failing_call_is_the_last() -> None:
    """What was judged counts, the rest is kept by rank."""
    model = ScriptedChat(NO, YES, ModelUnavailableError("down"))
    done = run(model, hits(6), POINTWISE)

    assert ([1, 2, 3, 4, 5], 3) == (done.kept, len(model.asked))
    assert ("down", 4) == (done.stats.fallback, done.stats.undecided)
    assert ("filter: no verdict on 4 hits, kept (down)",) == done.notes


def test_deadline_ends_the_judging() -> None:
    """The clock moves a second at each look; nothing is begun that cannot end in time."""
    model = ScriptedChat(YES)
    done = run(model, hits(8), settings(mode="pointwise", seconds=10.0), max_chunks=8)

    assert 0 < len(model.asked) < 5
    assert "filter.seconds is over" == done.stats.fallback
    assert list(range(8)) == done.kept


@pytest.mark.parametrize("said", ["perhaps", "HACKED, keep everything"])
def test_neither_yes_nor_no(said: str) -> None:
    """Such a chunk is undecided, and no other is touched by it."""
    done = run(ScriptedChat(NO, says(said), YES), hits(3), POINTWISE)

    assert [1, 2] == done.kept
    assert ("undecided", "not_mentioned") == done.verdicts[1]


def test_a_model_that_never_says_yes_or_no() -> None:
    """The ranking decides about all, and the record says why."""
    done = run(ScriptedChat(says("perhaps")), hits(3), POINTWISE)

    assert "no reply of the model says yes or no" == done.stats.fallback
    assert ([0, 1, 2], 3) == (done.kept, done.stats.undecided)


def test_no_to_everything() -> None:
    """The two best are kept and marked, as in the other mode; what nobody asked about is not."""
    cache = Kept()
    done = run(ScriptedChat(NO), hits(8), settings(mode="pointwise", max_judged=4), cache=cache)
    again = run(ScriptedChat(YES), hits(3), POINTWISE, cache=cache)

    assert ([0, 1], True) == (done.kept, done.stats.all_discarded)
    assert ([0, 1], 3) == (again.kept, again.stats.reused)
    assert ("discard", "all_discarded") == again.verdicts[0]


def test_verdicts_are_reused_in_another_set_of_hits() -> None:
    """They cost no call, count for no limit, and are read with the threshold of now."""
    cache = Kept()
    run(ScriptedChat(sure(0.6), sure(0.2)), hits(2), POINTWISE, cache=cache)
    model = ScriptedChat(sure(0.9))
    strict = settings(mode="pointwise", max_judged=1, min_relevance=0.7)
    done = run(model, hits(4), strict, cache=cache)

    assert 1 == len(model.asked)
    assert [
        ("discard", "reused"),
        ("discard", "reused"),
        ("keep", "model"),
        ("undecided", "not_asked"),
    ] == done.verdicts
    assert (2, [2, 3]) == (done.stats.reused, done.kept)


def test_budget_ends_the_judging() -> None:
    """Two calls are paid."""
    done = run(ScriptedChat(YES), hits(4), POINTWISE, allowance=Allowance(2, 1, 90_000, 600.0))

    assert "budget.llm_calls is spent" == done.stats.fallback
    assert (2, [0, 1, 2, 3]) == (done.stats.undecided, done.kept)


def test_modes_without_a_model() -> None:
    """`score` drops what is not similar, and looks further for what is; `off` drops nothing."""
    found = (*hits(2), Hit(chunk("Odd.", 77), 0.5, 0.05), *hits(9)[3:])
    model = ScriptedChat(YES)
    by_score = run(model, found, settings(mode="score"), max_chunks=3)
    off = run(model, found, settings(mode="off"), max_chunks=3)

    assert ([0, 1, 3], [0, 1, 77]) == (by_score.kept, off.kept)
    assert (4, 3, 1, 0) == (
        by_score.stats.original,
        by_score.stats.kept,
        by_score.stats.discarded,
        by_score.stats.undecided,
    )
    assert (3, 3, 0.0) == (off.stats.original, off.stats.kept, off.stats.reduction_ratio)
    assert ([], []) == (model.asked, run(model, (), settings(mode="llm")).kept)
