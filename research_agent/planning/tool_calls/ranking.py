"""From queries to calls, and from the hits of all calls to one ranking."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from research_agent.context import StepContext
from research_agent.text.replies import object_schema, reply_object
from research_agent.text.words import fold
from research_agent.types import Hit, Message
from research_agent.types.budget import Allowance
from research_agent.types.calls import PART_SLOT, CallPlan, CallResult, Found, ToolCall
from research_agent.types.evidence import fenced
from research_agent.types.filtering import FilterStats
from research_agent.types.fusion import fuse_hits, put_last, raised, reserve_slots

HOP = re.compile(r"(?<!\w)#(\d)(?!\w)")
"""A gap in a query for the answer to an earlier one."""
MAX_ANSWER = 100
"""Characters; what is longer is no name, place, date or number."""
MAX_TOKENS = 60
HITS, HIT_CHARS = 3, 1200
"""Hits of a part in which its answer is looked for, and characters of each."""
SCHEMA = object_schema({"answer": {"type": "string", "maxLength": MAX_ANSWER}})


def gaps(query: str, at: int) -> tuple[int, ...]:
    """Return the earlier parts whose answers the part number `at` needs.

    >>> gaps("Where was #1 born?", 2), gaps("What is issue #1?", 1), gaps("see #3", 2)
    ((1,), (), ())
    """
    return tuple(dict.fromkeys(n for n in map(int, HOP.findall(query)) if 0 < n < at))


def waiting(queries: Sequence[str], searched: Sequence[int]) -> tuple[int, ...]:
    """Return the parts that could be searched as soon as their gaps are filled."""
    return tuple(
        at
        for at, query in enumerate(queries)
        if at not in searched and gaps(query, at) and set(gaps(query, at)) <= set(searched)
    )


def awaited(queries: Sequence[str]) -> frozenset[int]:
    """Return the parts whose answers others need."""
    return frozenset(n for at, query in enumerate(queries) for n in gaps(query, at))


def filled(query: str, answers: Mapping[int, str]) -> str:
    """Return `query` with its gaps filled, empty where an answer is missing.

    >>> filled("Where was #1 born?", {1: "Ada Li"}), filled("Where was #1 born?", {1: ""})
    ('Where was Ada Li born?', '')
    """
    wanted = [n for n in map(int, HOP.findall(query)) if n in answers]
    if not all(answers[n] for n in wanted):
        return ""
    return HOP.sub(lambda gap: answers.get(int(gap[1]), gap[0]), query)


@dataclass(frozen=True, slots=True)
class PartAnswer:
    """What one part's hits answer to its query."""

    text: str = ""
    chunk_id: str = ""


def answer_part(query: str, hits: Sequence[Hit], context: StepContext) -> PartAnswer:
    """Return the planner model's answer out of a part's hits; raises ModelError, BudgetError."""
    hits = hits[:HITS]
    if not hits:
        return PartAnswer()
    evidence = "\n\n".join(fenced(_readable(hit)) for hit in hits)
    text = context.prompts.hop.render(question=query, evidence=evidence)
    reply = context.meter.ask(
        context.ports.planner,
        "planner",
        [Message("user", text)],
        max_tokens=MAX_TOKENS,
        schema=SCHEMA,
    )
    return read_answer(reply.text, query, hits)


def read_answer(reply: str, query: str, hits: Sequence[Hit]) -> PartAnswer:
    """Return the answer in a model's reply, empty where no hit has it.

    An answer that repeats the query answers nothing.
    """
    answer = reply_object(reply).get("answer")
    text = " ".join(answer.split()) if isinstance(answer, str) else ""
    plain = fold(text)
    if not plain or not 1 < len(text) <= MAX_ANSWER:
        return PartAnswer()
    before = r"(?<!\w)" if plain[0].isascii() else ""
    after = r"(?!\w)" if plain[-1].isascii() else ""
    whole_words = re.compile(f"{before}{re.escape(plain)}{after}")
    for hit in () if whole_words.search(fold(query)) else hits:
        if whole_words.search(" ".join(fold(_readable(hit)).split())):
            return PartAnswer(text, hit.chunk.chunk_id)
    return PartAnswer()


def _readable(hit: Hit) -> str:
    return f"{hit.chunk.title}\n{hit.chunk.text[:HIT_CHARS]}".strip()


TOOL = "search_chunks_tool"
HOP_SLOT = 5
"""Rank after which hits enter of a query that an earlier one's answer has filled: that may be
wrong."""


def planned_calls(
    queries: Sequence[str], first: int = 0, following: Sequence[str] = ()
) -> tuple[ToolCall, ...]:
    """Return one call a different query, with indices from `first`.

    Those with a gap for an earlier one's answer have to wait. The hits of `following` come last.
    """
    parts: dict[str, int] = {}
    for at, query in enumerate(queries):
        if not gaps(query, at):
            parts.setdefault(query, at)
    return tuple(
        ToolCall(
            first + i,
            TOOL,
            {"query": query},
            part=part,
            slot=0 if query in following else PART_SLOT,
        )
        for i, (query, part) in enumerate(parts.items())
    )


def affordable(plan: CallPlan, allowance: Allowance) -> CallPlan:
    """Return `plan` with the calls that fit into `allowance`, and the share of each.

    Calls for which no tool is run cost nothing and stay.
    """
    running = [call.index for call in plan.calls if call.runs]
    cut = set(running[allowance.tool_calls :])
    calls = tuple(call for call in plan.calls if call.index not in cut)
    share = allowance.share(len(running) - len(cut) or 1)
    return replace(plan, calls=calls, share=share, stop="budget_tool_calls" if cut else plan.stop)


def collect(
    results: Sequence[CallResult], plan: CallPlan, *, own_query: str, max_turns: int, rrf_k: int
) -> Found:
    """Put the hits of all `results` together, and decide whether another turn may bring more.

    The ranking of `own_query` leads and the others fill reserved slots; without it all are fused. A
    chunk that answered an earlier part (`ToolCall.bridges`) has the place of that part's best hit.
    What else a model's own calls found comes last.
    """
    hits = _together(results, own_query, rrf_k)
    stats = FilterStats.total([result.stats for result in results if result.searched])
    latest = {call.index for call in plan.calls}
    before = {h.chunk.chunk_id for r in results if r.call.index not in latest for h in r.hits}
    now = {h.chunk.chunk_id for r in results if r.call.index in latest for h in r.hits}
    learned = any(_tells(result) for result in results if result.call.index in latest)
    if plan.stop:
        return Found(hits, stats, "stop", plan.stop)
    if plan.author == "planner":
        waits = plan.waiting and plan.turn < max_turns
        return Found(hits, stats, *(("again", "waiting") if waits else ("stop", "planned")))
    if not plan.calls:
        return Found(hits, stats, "stop", "model_done")
    fresh = not now <= before
    if not fresh and not learned:
        return Found(hits, stats, "stop", "no_new_evidence")
    if plan.turn >= max_turns:
        return Found(hits, stats, "stop", "max_turns")
    return Found(hits, stats, "again", "new_evidence" if fresh else "told")


def _tells(result: CallResult) -> bool:
    """Return whether the model learns something from a result beside new hits."""
    read = bool(result.hits) and not result.searched
    return result.call.repeats is None and (bool(result.told) or read)


def _together(results: Sequence[CallResult], own_query: str, rrf_k: int) -> tuple[Hit, ...]:
    ranked = [result for result in results if result.hits]
    bridges = frozenset(one for result in results for one in result.call.bridges)
    own = next((r for r in ranked if own_query and r.call.query == own_query), None)
    if own is None:
        hits = fuse_hits([result.hits for result in ranked], rrf_k=rrf_k)
    else:
        hits = _led_by(own, [result for result in ranked if result is not own], bridges)
    return raised(hits, bridges, slot=PART_SLOT)


def _led_by(
    own: CallResult, others: Sequence[CallResult], bridges: Collection[str]
) -> tuple[Hit, ...]:
    """Return the hits of `own` with the best of the others in their reserved places.

    Bridges after the reserved place are left to their parts, which bring them first.
    """
    hits = tuple(
        hit
        for at, hit in enumerate(own.hits)
        if at < PART_SLOT or not others or hit.chunk.chunk_id not in bridges
    )
    for slot in sorted({result.call.slot for result in others} - {0}):
        now = [
            sorted(result.hits, key=lambda hit: hit.chunk.chunk_id not in bridges)
            for result in others
            if result.call.slot == slot
        ]
        alone = len(now) == 1 and slot != HOP_SLOT
        hits = reserve_slots(hits, now, slot=slot, each=2 if alone else 1)
    return put_last(hits, [r.hits for r in others if not r.call.slot or r.call.part < 0])
