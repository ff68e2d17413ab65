"""Plan calls: the next tool calls of the search, written by a model or by the pure planner."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from research_agent.errors import BudgetError, ModelError
from research_agent.metering import Meter
from research_agent.planning.tool_calls.call_checking import MOST_CALLS, checked_calls
from research_agent.planning.tool_calls.call_reading import unusable, written_calls
from research_agent.planning.tool_calls.call_results import aliases, results_text
from research_agent.planning.tool_calls.part_answers import answer_part
from research_agent.planning.tool_calls.tool_probe import (
    PROBE_MESSAGES,
    PROBE_TOKENS,
    PROBE_TOOL,
    is_usable,
)
from research_agent.planning.tool_calls.turn import TOOL, Before, Turn, searches
from research_agent.ports import Ports, ToolSpec
from research_agent.prompts import PromptTemplate
from research_agent.settings import SearchSettings
from research_agent.types import Message, Outcome, TraceEvent
from research_agent.types.budget import BUDGET_STOPS, Allowance
from research_agent.types.calls import (
    HOP_SLOT,
    CallPlan,
    CallResult,
    ToolCall,
    affordable,
    planned_calls,
)
from research_agent.types.corpus import corpus_outline
from research_agent.types.evidence import fenced
from research_agent.types.multi_hop import filled, gaps, waiting
from research_agent.types.refinement import Refinement

MAX_TOKENS = 600
LEAST_TOKENS = 60
"""Calls that may not be this long would be cut in the middle; they are not asked for."""
RESULT_TOKENS = 3000
"""Tokens of all results that the model reads before it writes the next calls."""
CUT = "no whole call could be read: write one JSON object a call, and shorter ones; or reply: done"
"""What the model is told of a call that it began and did not end."""


class Tools(Protocol):
    """The tools that may be called."""

    @property
    def specs(self) -> Sequence[ToolSpec]:
        """Return how models are told about them."""

    @property
    def names(self) -> Sequence[str]:
        """Return what they are called."""

    def check(self, name: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
        """Return the arguments that differ from the defaults; raises ToolInputError."""


def plan_calls(  # noqa: PLR0913 (keyword-only collaborators)
    question: str,
    refinement: Refinement,
    results: Sequence[CallResult],
    turn: int,
    *,
    before: Before,
    allowance: Allowance,
    ports: Ports,
    prompt: PromptTemplate,
    hop: PromptTemplate,
    tools: Tools,
    settings: SearchSettings,
) -> Outcome[CallPlan]:
    """Return the calls of the turn after `turn`, as many as `allowance` has, with their shares.

    A model that fails or writes no call that can be run is replaced by the planner as long as
    nothing was searched, and the trace says so: a search without any call would find nothing.
    Later its failure ends the search with what was found.
    """
    if not allowance.tool_calls:
        note = "plan_calls: budget.tool_calls is spent; the search ended"
        ended = CallPlan(turn + 1, stop="budget_tool_calls")
        return Outcome(ended, TraceEvent(notes=(note,)))
    number = turn + 1
    last = number >= settings.max_turns
    now = Turn(question, refinement, results, before, number, last=last)
    meter = Meter(allowance, tokenizer=ports.tokenizer, clock=ports.clock)
    by_model, notes = _is_models(settings, now, meter, ports)
    if by_model:
        plan, more = _by_model(now, meter, ports, prompt, tools)
    else:
        plan, more = _hops(now, meter, ports, hop) if now.open_parts else (_planned(now), ())
    notes = (*notes, *more)
    if plan.waiting and now.last:
        notes = (*notes, f"plan_calls: search.max_turns leaves {plan.waiting} queries unsearched")
    cut = affordable(plan, meter.left())
    if cut.calls != plan.calls:
        few = f"{len(cut.calls)} of {len(plan.calls)}"
        notes = (*notes, f"plan_calls: budget.tool_calls pays {few} searches")
    unreadable = int(by_model and _is_unreadable(plan, meter))
    return Outcome(cut, TraceEvent(meter.calls, notes, unreadable=unreadable))


def _planned(turn: Turn) -> CallPlan:
    queries = turn.refinement.queries
    calls = planned_calls(TOOL, queries, len(turn.results), turn.refinement.following)
    waits = sum(bool(gaps(query, at)) for at, query in enumerate(queries))
    return CallPlan(turn.number, "planner", calls, waiting=waits)


def _hops(
    turn: Turn, meter: Meter, ports: Ports, prompt: PromptTemplate
) -> tuple[CallPlan, tuple[str, ...]]:
    """Return the calls whose gaps can be filled with what earlier calls have found.

    A part whose gap stays open is not searched, nor is what waits for it.
    """
    queries, first = turn.refinement.queries, len(turn.results)
    calls: list[ToolCall] = []
    notes: tuple[str, ...] = ()
    for at in turn.open_parts:
        call, problem = _filled(at, first + len(calls), turn, meter, ports, prompt)
        if call:
            calls.append(call)
        else:
            notes = (*notes, f"plan_calls: {queries[at]!r} was not searched: {problem}")
    now = (*turn.found, *(call.part for call in calls))
    waits = len(waiting(queries, now)) if calls else 0
    return CallPlan(turn.number, "planner", tuple(calls), waiting=waits), notes


def _filled(
    at: int, index: int, turn: Turn, meter: Meter, ports: Ports, prompt: PromptTemplate
) -> tuple[ToolCall | None, str]:
    """Return the call that searches part `at` with its gaps filled, or why they stay open."""
    query = turn.refinement.queries[at]
    try:
        answers = {n: answer_part(turn.found[n], meter, ports, prompt) for n in gaps(query, at)}
    except (ModelError, BudgetError) as error:
        return None, str(error)
    text = filled(query, {n: answer.text for n, answer in answers.items()})
    if not text:
        return None, "nothing that was found answers an earlier part"
    bridges = tuple(dict.fromkeys(answer.chunk_id for answer in answers.values()))
    return ToolCall(index, TOOL, {"query": text}, part=at, slot=HOP_SLOT, bridges=bridges), ""


def _is_models(
    settings: SearchSettings, turn: Turn, meter: Meter, ports: Ports
) -> tuple[bool, tuple[str, ...]]:
    """Return whether the model writes the calls; in mode "auto" it is tried once and for all.

    What the planner has begun it goes on with: only it knows which queries wait.
    """
    if turn.found:
        return False, ()
    if settings.mode != "auto" or turn.number > 1:
        return settings.mode != "planned", ()
    known = ports.tool_use.known()
    if known is not None:
        return known, ()
    try:
        reply = meter.ask(
            ports.planner,
            "planner",
            PROBE_MESSAGES,
            max_tokens=PROBE_TOKENS,
            least_tokens=PROBE_TOKENS,
            tools=[PROBE_TOOL],
        )
    except (ModelError, BudgetError) as error:
        return False, (f"plan_calls: {error}; whether the model calls tools is not known",)
    usable = is_usable(reply)
    ports.tool_use.learn(usable=usable)
    return usable, ()


def _by_model(
    turn: Turn, meter: Meter, ports: Ports, prompt: PromptTemplate, tools: Tools
) -> tuple[CallPlan, tuple[str, ...]]:
    """Return the calls that the model writes; the planner's where none of them can be run."""
    message = Message("user", _text(turn, ports, prompt))
    try:
        reply = meter.ask(
            ports.planner,
            "planner",
            [message],
            max_tokens=MAX_TOKENS,
            least_tokens=LEAST_TOKENS,
            tools=tools.specs,
        )
    except (ModelError, BudgetError) as error:
        return _without_model(turn, error)
    written = written_calls(reply, tools.names)
    calls = checked_calls(
        written,
        turn.results,
        tools=tools.names,
        aliases=aliases(turn.results, turn.read),
        check=tools.check,
    )
    many = f"plan_calls: {len(written) - MOST_CALLS} calls beyond {MOST_CALLS} were left out"
    notes = (many,) if len(written) > MOST_CALLS else ()
    trouble = unusable(reply, written, tools.names)
    if trouble == "cut":
        calls = (ToolCall(len(turn.results), TOOL, problem=CUT),)
    if not turn.searched and (note := _given_up(turn, calls)):
        return _planned(turn), (*notes, f"plan_calls: {note}")
    if trouble == "text":
        notes = (*notes, "plan_calls: the model wrote no call, but text; the search ended")
    return CallPlan(turn.number, "model", calls), notes


def _given_up(turn: Turn, calls: Sequence[ToolCall]) -> str:
    """Return why the planner has to search, where nothing was searched; empty: it need not yet."""
    if not calls:
        return "the model wrote no call, the planner did"
    if any(map(searches, calls)):
        return ""
    if not turn.last and (not turn.results or any(call.runs for call in calls)):
        return ""
    if calls[0].problem:
        return f"the model's calls were wrong ({calls[0].problem}), the planner's ran"
    return "the model searched nothing, the planner did"


def _without_model(turn: Turn, error: ModelError | BudgetError) -> tuple[CallPlan, tuple[str, ...]]:
    """Return what a model that fails, or is not paid, leaves: the planner's calls, or the end."""
    if not turn.searched:
        return _planned(turn), (f"plan_calls: {error}; the planner wrote the calls",)
    stop = BUDGET_STOPS[error.which] if isinstance(error, BudgetError) else "error"
    ended = replace(CallPlan(turn.number, "model"), stop=stop)
    return ended, (f"plan_calls: {error}; the search ended",)


def _is_unreadable(plan: CallPlan, meter: Meter) -> bool:
    """Return whether the model replied, and wrote no call that could be run."""
    if not meter.calls or meter.calls[-1].failed:
        return False
    wrong = bool(plan.calls) and all(call.problem for call in plan.calls)
    return plan.author == "planner" or wrong


def _text(turn: Turn, ports: Ports, prompt: PromptTemplate) -> str:
    """Return the prompt: what stays the same first, so that a server reads it only once."""
    count, before = ports.tokenizer.count, turn.before
    results = results_text(
        turn.results,
        question=turn.question,
        count=count,
        max_tokens=RESULT_TOKENS,
        read=turn.read,
    )
    missing = "".join(f"\n- {fenced(one)}" for one in before.missing)
    return prompt.render(
        documents=corpus_outline(
            ports.documents(),
            count=count,
            first=[hit.chunk.doc_id for hit in before.probed],
        ),
        question=turn.question,
        queries=" | ".join(call.query for call in planned_calls(TOOL, turn.refinement.queries)),
        missing=f"Not found or not confirmed so far:{missing}\n" if missing else "",
        results=results or "nothing yet",
    )
