"""The filter: whatever a model says, the result makes sense."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from research_agent.context import RunContext
from research_agent.errors import ContextOverflowError, ModelTimeoutError, ModelUnavailableError
from research_agent.planning.filter.step import HitFilter, settled
from research_agent.planning.reading import Links
from research_agent.settings import FilterSettings, Settings
from research_agent.types import Chunk, Completion, Hit, ModelCall
from research_agent.types.budget import Allowance
from research_agent.types.calls import Reference
from research_agent.types.filtering import ChunkDecision, FilterStats, Verdict
from research_agent.types.scope import Scope
from tests.fakes import PROMPTS, MemoryDecisions, ScriptedChat, WordCount, chunk, ports

QUERY = "How many bytes has a key?"
ENOUGH = Allowance(40, 20, 100_000, 900.0)
UNREAD = "the reply has no verdict on any chunk"


class Chain(Links):
    """Chunk 0 refers to chunk 90, that to 91, and so on to 94."""

    def references(self, chunk_ids: Sequence[str]) -> dict[str, tuple[Reference, ...]]:
        found = (Reference("guide-90", "see", "guide, section Table 90"),)
        return {chunk_id: found for chunk_id in chunk_ids if chunk_id == "guide-0"}

    def further(self, chunk_ids: Sequence[str], *, depth: int, max_total: int) -> Sequence[Chunk]:
        far = [replace(chunk("Far away.", 90 + i), section=(f"Table {90 + i}",)) for i in range(5)]
        return far[:depth][:max_total] if "guide-0" in chunk_ids else []


def writes(text: str) -> Completion:
    return Completion(text, ModelCall("filter", 500, 40, model="fake"))


def hits(count: int, similarity: float = 0.8) -> tuple[Hit, ...]:
    return tuple(
        Hit(chunk(f"Note {i} on keys of {i} bytes.", i), 1 - i / 100, similarity - i / 1000)
        for i in range(count)
    )


@dataclass
class Done:
    kept: list[int]
    """The numbers of the chunks that are in the result, in its order."""
    stats: FilterStats
    notes: tuple[str, ...]

    @property
    def verdicts(self) -> list[tuple[str, str]]:
        return [(decision.verdict, decision.why) for decision in self.stats.decisions]


@dataclass
class Filtering:
    model: ScriptedChat = field(default_factory=ScriptedChat)
    cache: MemoryDecisions | None = None
    linked: bool = False
    settings: FilterSettings = field(default_factory=lambda: FilterSettings(mode="llm"))
    allowance: Allowance = ENOUGH

    def __call__(
        self, found: Sequence[Hit], most: int = 5, exclude: Sequence[str] = (), question: str = ""
    ) -> Done:
        used = replace(ports(ScriptedChat(), filterer=self.model), decisions=self.cache)
        run = RunContext(used, replace(Settings(), filter=self.settings), PROMPTS)
        links = (Chain if self.linked else Links)(used, Scope(exclude=frozenset(exclude)))
        done = HitFilter(run.within(self.allowance), links, question)(QUERY, found, most)
        numbers = [hit.chunk.order for hit in done.value.hits]
        return Done(numbers, done.value.stats, done.event.notes)


def asking(
    *replies: str | Completion | Exception, cache: MemoryDecisions | None = None, **settings: int
) -> Filtering:
    said = [writes(reply) if isinstance(reply, str) else reply for reply in replies]
    wanted = FilterSettings(mode="llm", **settings)
    return Filtering(ScriptedChat(*said), cache, settings=wanted)


def test_verdicts_decide() -> None:
    """Discarded hits leave their places to hits that rank lower; all is on record."""
    done = asking("k1 -> DISCARD\nk2 -> KEEP\nk3 -> discard\nk4 -> KEEP")(hits(4), 3)
    stats = done.stats

    assert [1, 3] == done.kept
    assert ("llm", 4, 2) == (stats.mode, stats.original, stats.kept)
    assert (2, 0) == (stats.discarded, stats.undecided)
    assert (0.5, 28) == (stats.reduction_ratio, stats.tokens_before)
    assert (14, 500) == (stats.tokens_after, stats.prompt_tokens)
    assert () == done.notes
    assert [("discard", "model"), ("keep", "model")] == done.verdicts[:2]
    assert stats.filter_seconds > 0


def test_modes_without_a_model() -> None:
    """`score` drops what is not similar, and looks further for what is; `off` drops nothing."""
    found = (*hits(2), Hit(chunk("Odd.", 77), 0.5, 0.05), *hits(9)[3:])
    model = ScriptedChat()
    by_score = Filtering(model, settings=FilterSettings(mode="score"))(found, 3)
    off = Filtering(model, settings=FilterSettings(mode="off"))(found, 3)

    assert ([0, 1, 3], [0, 1, 77]) == (by_score.kept, off.kept)
    assert (4, 3) == (by_score.stats.original, by_score.stats.kept)
    assert (1, 0) == (by_score.stats.discarded, by_score.stats.undecided)
    assert (3, 3, 0.0) == (off.stats.original, off.stats.kept, off.stats.reduction_ratio)
    assert ([], []) == (model.asked, asking()(()).kept)


def test_oversample_and_cap() -> None:
    """The model is shown 1.6 times what is wanted; the result has no more than is wanted."""
    keep = asking("\n".join(f"k{i} -> KEEP" for i in range(1, 30)))
    done = keep(hits(30), 10)

    assert (16, 13, list(range(10))) == (done.stats.original, done.stats.unknown_ids, done.kept)
    assert [True, False] == [f'key="k{i}"' in keep.model.asked[0][1] for i in (16, 17)]


def test_dissimilar_hits_are_not_shown() -> None:
    keep = asking("k1 -> KEEP\nk2 -> KEEP\nk3 -> KEEP")
    far, unknown = (Hit(chunk("Nothing.", i), 0.5, s) for i, s in ((7, 0.05), (8, None)))
    done = keep((*hits(2), far, unknown))

    assert [0, 1, 8] == done.kept
    assert ("discard", "similarity") == done.verdicts[2]
    assert 1 == keep.model.asked[0][1].count("Nothing.")
    assert [] == keep(hits(3, 0.05)).kept
    assert 1 == len(keep.model.asked)
    rows = (chunk("How many | key\nBytes | 32", 7), chunk("A key is red.", 8))
    by_score = Filtering(settings=FilterSettings(mode="score"))
    assert [7] == by_score([Hit(one, 0.5, 0.02) for one in rows]).kept  # (it has every word)


def test_seats() -> None:
    """What the model wants has seats first, the undecided by rank; a failed call is no verdict."""

    def seats(most: int, *said: ChunkDecision) -> list[int]:
        return [i for i, one in enumerate(settled(said, max_chunks=most)) if one.kept]

    verdicts: Sequence[Verdict] = ("undecided", "discard", "undecided", "keep", "expand_3")
    mixed = [ChunkDecision("x", verdict, "model") for verdict in verdicts]
    assert [[3], [3, 4], [0, 3, 4], [0, 2, 3, 4]] == [seats(most, *mixed) for most in (1, 2, 3, 9)]
    gone, failed, unseen = (
        ChunkDecision("x", "discard", "model"),
        ChunkDecision("x", why="failed"),
        ChunkDecision("x", why="no_room"),
    )
    assert [1, 2] == seats(2, gone, failed, failed)
    assert ([0, 1], [0]) == (seats(9, gone, gone, gone, unseen), seats(1, gone, gone, unseen))
    assert () == settled([], max_chunks=5)


def test_replies_in_part() -> None:
    """Reasons are kept; the first verdict counts; what is not mentioned is kept by rank."""
    cut = asking(
        '{"k1": "DISCARD: another product", "k2": "KEEP: states the size", "k3": "KEEP: names'
    )(hits(3), 2)
    assert ["another product", "states the size", ""] == [d.reason for d in cut.stats.decisions]
    assert ([1, 2], ("undecided", "not_mentioned")) == (cut.kept, cut.verdicts[2])

    reply = "k1 -> DISCARD\nk1 -> KEEP\nk77 -> KEEP\nguide-2 -> KEEP\nk2 -> KEEP\nk3 -> KEEP"
    repeated = asking(reply)(hits(3))
    assert [1, 2] == repeated.kept
    assert (1, 1) == (repeated.stats.repeated_ids, repeated.stats.unknown_ids)

    few = asking("k4 -> KEEP\nk1 -> DISCARD")(hits(5), 3)
    assert ([1, 2, 3], 3, "") == (few.kept, few.stats.undecided, few.stats.fallback)
    assert ("filter: no verdict on 3 hits, kept",) == few.notes


@pytest.mark.parametrize(
    ("reply", "why", "kind"),
    [
        ("I would keep the first and the third.", UNREAD, "unreadable"),
        ("", UNREAD, "unreadable"),
        ('{"k77": {"reason": "x", "verdict": "DISCARD"}}', UNREAD, "unreadable"),
        ('{"k1": {"reason": "half a', UNREAD, "unreadable"),
        (ModelTimeoutError("too slow"), "too slow", "time_out"),
        (ModelUnavailableError("down"), "down", "error"),
        (ContextOverflowError("too long"), "too long", "error"),
    ],
)
def test_fallback_is_the_ranking(reply: str | Exception, why: str, kind: str) -> None:
    """Prose, silence, half a reply, or a late or absent model: the first hits, and the reason."""
    done = asking(reply)(hits(8))

    assert [0, 1, 2, 3, 4] == done.kept
    assert (why, kind, 8) == (done.stats.fallback, done.stats.fallback_type, done.stats.undecided)
    assert (f"filter: no verdict on 8 hits, kept ({why})",) == done.notes
    assert {("undecided", "failed")} == set(done.verdicts)


@pytest.mark.parametrize(("seconds", "most"), [(900.0, 60.0), (8.0, 8.0)])
def test_deadline_and_schema_reach_the_model(seconds: float, most: float) -> None:
    keep = replace(asking("k1 -> KEEP"), allowance=Allowance(9, 1, 9000, seconds))
    keep(hits(2))
    ((given, max_tokens, schema),) = keep.model.given

    assert most - 5 < given <= most
    assert ["k1", "k2"] == schema["required"]
    assert 2 * 15 < max_tokens < 100


@pytest.mark.parametrize("limit", [250, 400, 900])
def test_prompt_is_within_its_limit(limit: int) -> None:
    long = [Hit(chunk("Many words on keys and bytes. " * 60, i), 1.0, 0.8) for i in range(8)]
    keep = asking("k1 -> KEEP", max_prompt_tokens=limit)
    done = keep(long)
    prompt = keep.model.asked[0][1]
    shown = prompt.count("<chunk ")

    assert WordCount().count(prompt) <= limit
    assert (limit > 250) == (shown == 8)
    missing = f"filter: no room for {8 - shown} hits in filter.max_prompt_tokens, kept"
    assert (shown < 8) == (missing in done.notes)
    assert (8 - shown) == done.verdicts.count(("undecided", "no_room"))
    assert 5 == len(done.kept)
    assert "no_room" == asking(max_prompt_tokens=200)(long, question="w " * 200).stats.fallback_type


def test_expansion() -> None:
    """What is said to be expanded, as far as there is room; it follows the hit it belongs to."""
    reply = "k1 -> EXPAND_3\nk2 -> EXPAND_99\nk3 -> DISCARD\nk4 -> KEEP"
    keep = replace(asking(reply, max_expanded=2), linked=True)
    done = keep(hits(4), 4)

    assert [0, 1, 90, 3, 91] == done.kept
    assert (2, 3, 4) == (done.stats.expanded, done.stats.kept, done.stats.original)
    assert ("keep", "model") == done.verdicts[1]
    shown = 'refers_to="1 step: Table 90 (page 91); 3 steps: 3 chunks; 5 steps: 5 chunks"'
    prompt = keep.model.asked[0][1]
    assert 1 == prompt.count(shown) == prompt.count("refers_to=")
    assert 1 == str(keep.model.given[0][2]).count("EXPAND_5")
    assert 0 == replace(asking(reply, max_expanded=0), linked=True)(hits(3)).stats.expanded


@pytest.mark.parametrize(
    ("reply", "exclude", "expected"),
    [
        ("k1 -> EXPAND_1", (), (1, 0)),
        ("k1 -> KEEP", (), (1, 1)),
        ("k1 -> DISCARD\nk2 -> KEEP", (), (0, 0)),
        ("k1 -> KEEP", ("guide-90",), (0, 0)),
    ],
)
def test_dangling_references_are_counted_before_and_after(
    reply: str, exclude: Sequence[str], expected: tuple[int, int]
) -> None:
    stats = replace(asking(reply), linked=True)(hits(2), exclude=exclude).stats

    assert expected == (stats.dangling_before, stats.dangling_after)


def test_only_new_chunks_are_asked_about() -> None:
    cache = MemoryDecisions()
    asking("k1 -> DISCARD\nk2 -> KEEP (yes)", cache=cache)(hits(3))
    second = asking("k1 -> DISCARD\nk2 -> KEEP", cache=cache)
    done = second(hits(4))
    third = asking("k1 -> KEEP", cache=cache)
    again = third(hits(4))

    assert 2 == second.model.asked[0][1].count("<chunk ")
    assert "Note 2" in second.model.asked[0][1]
    assert [("discard", "reused"), ("keep", "reused"), ("discard", "model"), ("keep", "model")] == (
        done.verdicts
    )
    assert (2, 4, [1, 3]) == (done.stats.reused, again.stats.reused, again.kept)
    assert ("yes", 0) == (again.stats.decisions[1].reason, again.stats.prompt_tokens)
    assert [] == third.model.asked
    other = asking("k1 -> DISCARD\nk2 -> DISCARD", cache=cache)(hits(2), question="Why?")
    assert 0 == other.stats.reused
