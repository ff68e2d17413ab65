"""Refine: a better query or several, or the same one where the first search was convincing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from research_agent.errors import BudgetError, ModelError
from research_agent.metering import Meter
from research_agent.planning.refine.before import Before
from research_agent.planning.refine.gaps import gaps_text
from research_agent.planning.refine.measuring import SOURCES, measure
from research_agent.planning.refine.question_parts import is_nested, question_parts, why_simple
from research_agent.ports import JsonSchema, Ports
from research_agent.prompts import Prompts
from research_agent.settings import RefinementSettings, Settings
from research_agent.text.language import language_name, languages_apart
from research_agent.types import Message, Outcome, Probe, TraceEvent
from research_agent.types.budget import Allowance
from research_agent.types.confidence import RetrievalConfidence
from research_agent.types.entropy import yes_or_no
from research_agent.types.evidence import fenced
from research_agent.types.proposals import (
    TRANSLATION_SCHEMA,
    Proposal,
    proposal_schema,
    read_proposal,
    read_translation,
    without_hops,
)
from research_agent.types.refinement import (
    Limits,
    Refinement,
    blocked_too,
    by_rules,
    exhausted,
    first_is,
    judge,
    keep,
    with_following,
)
from research_agent.types.validation import Ruling, same_question

MAX_TOKENS = 120
LEAST_TOKENS = 60
"""A proposal that may not be this long would be cut in the middle; it is not asked for."""
MOST_TRIED = 12
LOOK = 500
"""Characters of a hit by which its language is told."""
Refined = tuple[Refinement, tuple[str, ...]]
"""A refinement and notes for the trace."""


def refine(  # noqa: PLR0913 (keyword-only collaborators)
    question: str,
    probe: Probe,
    confidence: RetrievalConfidence,
    before: Before,
    *,
    allowance: Allowance,
    ports: Ports,
    prompts: Prompts,
    settings: Settings,
) -> Outcome[Refinement]:
    """Return the queries to search with.

    In the first round the model is only asked where confidence is low: with high confidence the
    question's words are kept, but one with several parts is searched part by part too. In later
    rounds it is told what is missing, what was read and what was tried, unless doubtful tokens
    have given the query (DRAGIN); where it has nothing else to search for, the loop ends.
    Where the model fails, is of no use or is not paid, the parts that rules tell are searched.
    """
    work = _Work(question, probe, before, ports, prompts, settings)
    settled = work.without_model(confidence)
    if settled:
        return Outcome(first_is(probe.query, settled[0]), TraceEvent(notes=settled[1]))
    meter = Meter(allowance, tokenizer=ports.tokenizer, clock=ports.clock)
    refinement, notes = work.with_model(confidence, meter)
    told = replace(first_is(probe.query, refinement), model_calls=len(meter.calls))
    return Outcome(told, TraceEvent(meter.calls, notes))


@dataclass(frozen=True, slots=True)
class _Work:
    """One run of the step."""

    question: str
    probe: Probe
    before: Before
    ports: Ports
    prompts: Prompts
    settings: Settings

    def without_model(self, confidence: RetrievalConfidence) -> Refined | None:
        """Return the refinement that needs no model; None where one is asked."""
        if not self.probe.hits:
            nothing = (
                "all that could be found was read" if self.before.again else "the index is empty"
            )
            return keep(self.question, nothing), ()
        own, theirs = self._languages_apart()
        untold = (f"refine: {_apart(own, theirs)}; it was not translated",) if own else ()
        settled = self._settled(confidence, foreign=bool(own))
        return (settled, untold) if settled else None

    def _settled(self, confidence: RetrievalConfidence, *, foreign: bool) -> Refinement | None:
        chosen = self.settings.refinement
        sure = confidence.decision == "bypass"
        if chosen.mode == "off":
            return keep(self.question, "refinement.mode is off")
        if foreign and chosen.mode == "auto" and not sure:
            return None
        by_tokens = "the query leaves out the words that the model was unsure of"
        if reason := by_tokens if self.before.check.by_tokens else why_simple(self.question):
            return keep(self.question, reason)
        if chosen.mode == "auto" and (self.before.again or not (sure and self._is_simple)):
            return None
        return self._by_rules(f"bypass: {confidence.reason}" if sure else "refinement.mode is pure")

    @property
    def _is_simple(self) -> bool:
        """Whether a question that its own words find is not worth a call of the model."""
        chosen = self.settings.refinement.complexity
        return chosen == "pure" or (chosen == "nested" and not is_nested(self.question))

    def with_model(self, confidence: RetrievalConfidence, meter: Meter) -> Refined:
        """Return the refinement that the planner model proposes, and what the trace is told."""
        own, theirs = self._languages_apart()
        if self.before.again and not own:
            return self._by_model(meter, "")
        if confidence.decision == "bypass":
            refinement, notes = self._by_model(meter, confidence.reason)
            untold = (f"refine: {_apart(own, theirs)}; it was not translated",) if own else ()
            return refinement, (*notes, *untold)
        return self._translated(own, theirs, meter) if own else self._by_model(meter, "")

    def _languages_apart(self) -> tuple[str, str]:
        if self.settings.refinement.translate == "off":
            return ("", "")
        texts = [hit.chunk.text[:LOOK] for hit in self.probe.hits[:SOURCES]]
        own, theirs = languages_apart(self.question, texts)
        return language_name(own), language_name(theirs)

    def _by_rules(self, reason: str) -> Refinement:
        """Return the parts that rules tell; what the search compares by itself is left to it."""
        retrieval = self.settings.retrieval
        alone = retrieval.planner == "off" or not retrieval.comparison_each
        parts = question_parts(
            self.question,
            comparisons=retrieval.words if alone else (),
            most=self.settings.refinement.max_parts,
        )
        return by_rules(self.question, parts, reason)

    def _by_model(self, meter: Meter, bypass: str) -> Refined:
        """Ask the planner model; with high confidence (`bypass`) only for parts."""
        most = self.settings.refinement.max_parts
        try:
            reply = self._ask(self._prompt(), proposal_schema(most), meter)
            tried = self.before.tried
            proposal = read_proposal(self.question, reply, most=most, tried=tried)
            if self.settings.refinement.hops == "off":
                proposal = without_hops(proposal)
            if proposal.problem:
                return self._instead(proposal.problem)
            if not proposal.queries and self.before.again:
                return exhausted(self.question), ()
            if not proposal.queries or (bypass and proposal.kind != "decompose"):
                why = f"bypass: {bypass}" if bypass else "the planner model kept the question"
                return keep(self.question, why), ()
            return self._judged(proposal, meter)
        except (ModelError, BudgetError) as error:
            return self._instead(str(error))

    def _translated(self, own: str, theirs: str, meter: Meter) -> Refined:
        prompt = self.prompts.translate.render(question=self.question, language=theirs)
        try:
            reply = self._ask(prompt, TRANSLATION_SCHEMA, meter)
            proposal = read_translation(self.question, reply)
            if not proposal.problem:
                return self._judged(proposal, meter)
            problem = proposal.problem
        except (ModelError, BudgetError) as error:
            problem = str(error)
        note = f"refine: {_apart(own, theirs)}; it was not translated: {problem}"
        return self._by_rules(f"not translated: {problem}"), (note,)

    def _prompt(self) -> str:
        if not self.before.again:
            return self.prompts.refine.render(question=self.question)
        before, count = self.before, self.ports.tokenizer.count
        return self.prompts.refine_again.render(
            question=self.question,
            gaps=gaps_text(self.question, before.check, before.evidence, count),
            tried=_lines(before.tried[-MOST_TRIED:]),
        )

    def _ask(self, prompt: str, schema: JsonSchema, meter: Meter) -> str:
        return meter.ask(
            self.ports.planner,
            "planner",
            [Message("user", prompt)],
            max_tokens=MAX_TOKENS,
            least_tokens=LEAST_TOKENS,
            schema=schema,
        ).text

    def _instead(self, problem: str) -> Refined:
        """Return the plan of rules where the model is of no use."""
        plan = self._by_rules(f"no proposal: {problem}")
        what = "the query was kept" if plan.kind == "keep" else "rules cut it into its parts"
        return plan, (f"refine: {problem}; {what}",)

    def _judged(self, proposal: Proposal, meter: Meter) -> Refined:
        own, measured = measure(self.question, proposal.queries, self.ports)
        limits = _limits(self.ports, self.settings.refinement)
        known = self.before.known(self.question)
        refinement = judge(self.question, proposal, measured, own=own, limits=limits, known=known)
        refinement, unsure = self._same_question(refinement, meter)
        blocked = [verdict for verdict in refinement.verdicts if verdict.blocked]
        notes = (*(f"refine: blocked {v.query!r}: {v.blocked}" for v in blocked), *unsure)
        told = replace(refinement, author="model")
        chosen = self.settings.refinement
        if self.before.again or chosen.profile == "seed":
            return told, notes  # what was found before was not enough
        return with_following(told, improvement=chosen.improvement), notes

    def _same_question(self, refinement: Refinement, meter: Meter) -> Refined:
        """Block those queries of which the planner model says that they ask for something else.

        Parts of the question are judged together, other words for it one by one. What the model
        does not answer is let through, with a note. A later round asks for what is missing, not
        for the same, so nothing is asked there.
        """
        queries = refinement.queries[1:]
        asked_for = self.settings.refinement.same_question != "off" and not self.before.again
        if not asked_for or not queries:
            return refinement, ()
        together = [queries] if refinement.kind == "decompose" else [(q,) for q in queries]
        rulings: dict[str, Ruling] = {}
        notes = []
        for asked in together:
            try:
                same = self._says_yes(asked, meter)
            except (ModelError, BudgetError) as error:
                same, problem = None, str(error)
            else:
                problem = "the reply is neither yes nor no"
            if same is None:
                notes.append(f"refine: not asked whether the question is the same: {problem}")
            else:
                rulings |= dict.fromkeys(asked, same_question(same))
        return blocked_too(self.question, refinement, rulings), tuple(notes)

    def _says_yes(self, queries: Sequence[str], meter: Meter) -> float | None:
        content = self.prompts.same_question.render(question=self.question, queries=_lines(queries))
        message = Message("user", content)
        return yes_or_no(meter.ask(self.ports.planner, "planner", [message], max_tokens=1))


def _limits(ports: Ports, settings: RefinementSettings) -> Limits:
    fitted = settings.min_similarity < 0
    return Limits(
        model=ports.embedder.name,
        profile=settings.profile,
        min_similarity=None if fitted else settings.min_similarity,
        margin=settings.margin,
        min_overlap=settings.min_overlap,
        improvement=settings.improvement,
    )


def _apart(own: str, theirs: str) -> str:
    return f"the question is {own}, the documents are {theirs}"


def _lines(texts: Sequence[str]) -> str:
    return "\n".join(fenced(" ".join(text.split())) for text in texts) or "nothing"
