"""Plan calls: the next tool calls of the search, written by a model or by rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from research_agent.context import StepContext
from research_agent.errors import BudgetError, ModelError
from research_agent.planning.reading import corpus_outline
from research_agent.planning.tool_calls.ranking import (
    HOP_SLOT,
    TOOL,
    affordable,
    answer_part,
    filled,
    gaps,
    planned_calls,
    waiting,
)
from research_agent.planning.tool_calls.results_text import chunk_keys, results_text
from research_agent.planning.tool_calls.written_calls import (
    MOST_CALLS,
    Tools,
    checked_calls,
    unusable,
    written_calls,
)
from research_agent.types import Hit, Message, Outcome, TraceEvent
from research_agent.types.budget import BUDGET_STOPS
from research_agent.types.calls import CallPlan, CallResult, ToolCall
from research_agent.types.evidence import Evidence, fenced
from research_agent.types.refinement import Refinement

MAX_TOKENS = 600
LEAST_TOKENS = 60
"""Calls that may not be this long would be cut in the middle; they are not asked for."""
RESULT_TOKENS = 3000
"""Tokens of all results that the model reads before it writes the next calls."""
CUT = "no whole call could be read: write one JSON object a call, and shorter ones; or reply: done"
"""What the model reads of a call that it began and did not end."""
Planned = tuple[CallPlan, tuple[str, ...]]
"""A plan and notes for the trace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a turn of the loop begins with."""

    question: str
    refinement: Refinement
    number: int
    """Counted from 1."""
    results: Sequence[CallResult] = ()
    """Of the turns before."""
    probed: Sequence[Hit] = ()
    """What the round's first search found."""
    evidence: Sequence[Evidence] = ()
    """What the rounds before have read."""
    missing: Sequence[str] = ()
    """What the rounds before did not find, and sentences that could not be confirmed."""

    @property
    def searched(self) -> bool:
        """Whether anything was searched before."""
        return any(_searches(result.call) for result in self.results)

    @property
    def found(self) -> Mapping[int, CallResult]:
        """What the refinement's queries have found, by their number."""
        return {r.call.part: r for r in self.results if r.call.part >= 0}


def plan_calls(turn: Turn, tools: Tools, *, context: StepContext) -> Outcome[CallPlan]:
    """Return the calls of a turn, as many as the budget pays, with their shares of it.

    Rules write them where a model fails or writes none that can be run, as long as nothing was
    searched; later its failure ends the search. The trace says so.
    """
    meter, last = context.meter, turn.number >= context.settings.search.max_turns
    if not meter.left().tool_calls:
        note = "plan_calls: budget.tool_calls is spent; the search ended"
        ended = CallPlan(turn.number, stop="budget_tool_calls")
        return Outcome(ended, TraceEvent(notes=(note,)))
    # (what rules have begun they go on with: only they know which queries wait)
    by_model = context.settings.search.mode == "tool_calling" and not turn.found
    if by_model:
        plan, notes = _by_model(turn, tools, context, last=last)
    elif parts := waiting(turn.refinement.queries, tuple(turn.found)):
        plan, notes = _hops(turn, parts, context)
    else:
        plan, notes = _by_rules(turn), ()
    if plan.waiting and last:
        notes = (*notes, f"plan_calls: search.max_turns leaves {plan.waiting} queries unsearched")
    cut = affordable(plan, meter.left())
    if cut.calls != plan.calls:
        few = f"{len(cut.calls)} of {len(plan.calls)} searches"
        notes = (*notes, f"plan_calls: budget.tool_calls pays {few}")
    replied = bool(meter.calls) and not meter.calls[-1].failed
    wrong = bool(plan.calls) and all(call.problem for call in plan.calls)
    unreadable = int(by_model and replied and (plan.author == "planner" or wrong))
    return Outcome(cut, TraceEvent(meter.calls, notes, unreadable=unreadable))


def _by_rules(turn: Turn) -> CallPlan:
    queries = turn.refinement.queries
    calls = planned_calls(queries, len(turn.results), turn.refinement.following)
    waits = sum(bool(gaps(query, at)) for at, query in enumerate(queries))
    return CallPlan(turn.number, "planner", calls, waiting=waits)


def _hops(turn: Turn, parts: Sequence[int], context: StepContext) -> Planned:
    """Return the calls of `parts`, whose gaps are filled with what earlier calls have found.

    A part whose gap stays open is not searched, nor is what waits for it.
    """
    queries, found = turn.refinement.queries, turn.found
    calls: list[ToolCall] = []
    notes: tuple[str, ...] = ()
    for at in parts:
        query = queries[at]
        try:
            answers = {
                n: answer_part(found[n].call.query, found[n].hits, context) for n in gaps(query, at)
            }
            text = filled(query, {n: answer.text for n, answer in answers.items()})
            problem = "nothing that was found answers an earlier part"
        except (ModelError, BudgetError) as error:
            text, problem = "", str(error)
        if not text:
            notes = (*notes, f"plan_calls: {query!r} was not searched: {problem}")
            continue
        bridges = tuple(dict.fromkeys(answer.chunk_id for answer in answers.values()))
        index = len(turn.results) + len(calls)
        calls.append(
            ToolCall(index, TOOL, {"query": text}, part=at, slot=HOP_SLOT, bridges=bridges)
        )
    now = (*found, *(call.part for call in calls))
    waits = len(waiting(queries, now)) if calls else 0
    return CallPlan(turn.number, "planner", tuple(calls), waiting=waits), notes


def _by_model(turn: Turn, tools: Tools, context: StepContext, *, last: bool) -> Planned:
    """Return the calls that the model writes; those of rules where none of them can be run."""
    try:
        reply = context.meter.ask(
            context.ports.planner,
            "planner",
            [Message("user", _prompt(turn, context))],
            max_tokens=MAX_TOKENS,
            least_tokens=LEAST_TOKENS,
            tools=tools.specs,
        )
    except (ModelError, BudgetError) as error:
        if not turn.searched:
            return _by_rules(turn), (f"plan_calls: {error}; the planner wrote the calls",)
        stop = BUDGET_STOPS[error.which] if isinstance(error, BudgetError) else "error"
        ended = CallPlan(turn.number, "model", stop=stop)
        return ended, (f"plan_calls: {error}; the search ended",)
    written = written_calls(reply, tools.names)
    keys = chunk_keys(turn.results, [item.hit for item in turn.evidence])
    calls = checked_calls(written, turn.results, tools=tools, keys=keys)
    many = f"plan_calls: {len(written) - MOST_CALLS} calls beyond {MOST_CALLS} were left out"
    notes = (many,) if len(written) > MOST_CALLS else ()
    trouble = unusable(reply, written, tools.names)
    if trouble == "cut":
        calls = (ToolCall(len(turn.results), TOOL, problem=CUT),)
    if not turn.searched and (note := _given_up(turn, calls, last=last)):
        return _by_rules(turn), (*notes, f"plan_calls: {note}")
    if trouble == "text":
        notes = (*notes, "plan_calls: the model wrote no call, but text; the search ended")
    return CallPlan(turn.number, "model", calls), notes


def _given_up(turn: Turn, calls: Sequence[ToolCall], *, last: bool) -> str:
    """Return why rules have to search, where nothing was searched; empty: they need not yet."""
    if not calls:
        return "the model wrote no call, the planner did"
    if any(map(_searches, calls)):
        return ""
    if not last and (not turn.results or any(call.runs for call in calls)):
        return ""
    if calls[0].problem:
        return f"the model's calls were wrong ({calls[0].problem}), the planner's ran"
    return "the model searched nothing, the planner did"


def _searches(call: ToolCall) -> bool:
    return call.runs and call.name == TOOL


def _prompt(turn: Turn, context: StepContext) -> str:
    """Return the prompt: what stays the same first, so that a server reads it only once."""
    count = context.ports.tokenizer.count
    results = results_text(
        turn.results,
        question=turn.question,
        count=count,
        max_tokens=RESULT_TOKENS,
        read=[item.hit for item in turn.evidence],
    )
    missing = "".join(f"\n- {fenced(one)}" for one in turn.missing)
    return context.prompts.plan_calls.render(
        documents=corpus_outline(
            context.ports.documents(),
            count=count,
            first=[hit.chunk.doc_id for hit in turn.probed],
        ),
        question=turn.question,
        queries=" | ".join(call.query for call in planned_calls(turn.refinement.queries)),
        missing=f"Not found or not confirmed so far:{missing}\n" if missing else "",
        results=results or "nothing yet",
    )
