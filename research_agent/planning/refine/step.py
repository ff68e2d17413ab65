"""Refine: a better query or several, or the same one where the first search was convincing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from research_agent.context import StepContext
from research_agent.errors import BudgetError, ModelError
from research_agent.planning.refine import proposals, validators
from research_agent.ports import Ports
from research_agent.text.content_words import content_words
from research_agent.text.excerpts import cuts
from research_agent.text.language import language_name, languages_apart
from research_agent.text.quote_search import best_quotes
from research_agent.text.tables import head_of
from research_agent.text.unit_vectors import cosine
from research_agent.types import Chunk, Message, Outcome, Probe, TraceEvent
from research_agent.types.evidence import Evidence, fenced, place, source_of
from research_agent.types.refinement import Refinement
from research_agent.types.retrieval import RetrievalConfidence
from research_agent.types.verification import Check

MOST_GAPS = 6
MOST_PASSAGES = 3
"""Passages that are shown where nothing was answered: those nearest to the question."""
PASSAGE_CHARS = 500
MOST_TOKENS = 700
"""Of all passages; a gap that has no room for one is listed without."""


@dataclass(frozen=True, slots=True)
class EarlierRounds:
    """What the rounds before have tried, read and left open; empty in the first round."""

    check: Check = field(default_factory=Check)
    evidence: Sequence[Evidence] = ()
    trace: Sequence[TraceEvent] = ()

    @property
    def again(self) -> bool:
        """Whether this is a later round."""
        return self.check.decision == "again"

    @property
    def tried(self) -> tuple[str, ...]:
        """The queries that were searched."""
        return tuple(dict.fromkeys(query for event in self.trace for query in event.queries))

    def known(self, question: str) -> frozenset[str] | None:
        """Return the words of the question and of what was read; None in the first round."""
        texts = (source_of(item.hit.chunk) for item in self.evidence)
        return content_words(" ".join((question, *texts))) if self.again else None


def gaps_text(
    question: str, check: Check, evidence: Sequence[Evidence], count: Callable[[str], int]
) -> str:
    """Return what the answer lacks, each with what was read that is nearest to it."""
    lines: list[str] = []

    def add(passage: str) -> None:
        line = f"nearest passage read{passage or ': none'}"
        if count("\n".join((*lines, line))) <= MOST_TOKENS:
            lines.append(line)

    lacking = [("missing", part) for part in check.missing]
    lacking += [("doubtful", sentence) for sentence in check.doubts]
    if not lacking:
        lines.append("What was read does not answer the question.")
        for passage in _nearest(question, evidence)[:MOST_PASSAGES] or [""]:
            add(passage)
    for kind, text in lacking[:MOST_GAPS]:
        lines.append(_line(f"{kind}: {text}"))
        add(next(iter(_nearest(text, evidence)), ""))
    return "\n".join(lines)


def _nearest(text: str, evidence: Sequence[Evidence]) -> list[str]:
    found = [
        (quote.score, item.hit.chunk, quote.quote)
        for item in evidence
        for quote in best_quotes(text, item.hit.chunk)
    ]
    found.sort(key=lambda one: -one[0])
    return [f" ({_line(place(chunk))}): {_passage(chunk, words)}" for _, chunk, words in found]


def _passage(chunk: Chunk, words: str) -> str:
    whole = f"{head_of(chunk.text)} {words}" if chunk.kind == "table" else words
    line = " ".join(whole.split())
    (start, end), *_ = cuts(line, 0, len(line), PASSAGE_CHARS)
    return fenced(line[start:end])


def _line(text: str) -> str:
    return fenced(" ".join(text.split()))


MAX_TOKENS = 120
LEAST_TOKENS = 60
"""A proposal that may not be this long would be cut in the middle; it is not asked for."""
MOST_TRIED = 12
"""Earlier queries that a later round's prompt lists."""
SOURCES = 5
"""Hits of each query whose documents are compared."""
LANGUAGE_CHARS = 500
"""Characters of a hit from which its language is recognised."""
Refined = tuple[Refinement, tuple[str, ...]]
"""A refinement and notes for the trace."""


def refine(
    question: str,
    probe: Probe,
    confidence: RetrievalConfidence,
    before: EarlierRounds,
    *,
    context: StepContext,
) -> Outcome[Refinement]:
    """Return the queries to search with.

    In the first round the model is asked only where confidence is low, or for parts. Later it reads
    what is missing, was read and was tried, unless uncertain tokens have given the query (DRAGIN);
    where it has nothing else to search for, the loop ends. Rules replace a model that fails.
    """
    run = _Run(question, probe, confidence, before, context)
    refinement, notes = run.without_model() or run.with_model()
    calls = context.meter.calls
    queries = (probe.query, *refinement.queries[1:])
    result = replace(refinement, queries=queries, model_calls=len(calls))
    return Outcome(result, TraceEvent(calls, notes))


class _Run:
    def __init__(
        self,
        question: str,
        probe: Probe,
        confidence: RetrievalConfidence,
        before: EarlierRounds,
        context: StepContext,
    ) -> None:
        self.question, self.before, self.context = question, before, context
        self.settings = context.settings.refinement
        self.found = bool(probe.hits)
        self.sure = f"bypass: {confidence.reason}" * (confidence.decision == "bypass")
        texts = [hit.chunk.text[:LANGUAGE_CHARS] for hit in probe.hits[:SOURCES]]
        own, self.language = map(language_name, languages_apart(question, texts))
        apart = f"the question is {own}, most of what was found is {self.language}"
        self.untranslated: tuple[str, ...] = (
            (f"refine: {apart}; it was not translated",) if own else ()
        )

    def without_model(self) -> Refined | None:
        """Return the refinement that needs no model; None where one is asked."""
        again, asks = self.before.again, self.settings.mode == "auto"
        if not self.found:
            nothing = "all that could be found was read" if again else "the index is empty"
            return self._keep(nothing), ()
        if self.settings.mode == "off":
            return self._keep("refinement.mode is off"), self.untranslated
        if self.untranslated and asks and not self.sure:
            return None
        by_tokens = "the query leaves out the words that the model was unsure of"
        why = proposals.why_simple(self.question)
        if reason := by_tokens if self.before.check.by_tokens else why:
            return self._keep(reason), self.untranslated
        chosen = self.settings.complexity
        simple = chosen == "pure" or (chosen == "nested" and not proposals.is_nested(self.question))
        if asks and (again or not (self.sure and simple)):
            return None
        return self._by_rules(self.sure or "refinement.mode is pure"), self.untranslated

    def with_model(self) -> Refined:
        if self.untranslated and not self.sure:
            return self._translated()
        parts_only = bool(self.untranslated) or not self.before.again
        refinement, notes = self._by_model(self.sure if parts_only else "")
        return refinement, (*notes, *self.untranslated)

    def _keep(self, reason: str) -> Refinement:
        return Refinement("keep", (self.question,), reason)

    def _by_rules(self, reason: str) -> Refinement:
        """Return the parts that rules find; what the search compares by itself is left to it."""
        retrieval = self.context.settings.retrieval
        parts = proposals.question_parts(
            self.question,
            comparisons=not retrieval.question_kinds,
            most=self.settings.max_parts,
        )
        if not parts:
            return self._keep(reason)
        return Refinement("decompose", (self.question, *parts), reason, author="rules")

    def _by_model(self, bypass: str) -> Refined:
        """Ask the planner model; with high confidence (`bypass`: its reason) only for parts."""
        most, again, tried = self.settings.max_parts, self.before.again, self.before.tried
        try:
            reply = self._ask(self._prompt(), proposals.proposal_schema(most))
            proposal = proposals.read_proposal(self.question, reply, most=most, tried=tried)
            if proposal.problem:
                return self._instead(proposal.problem)
            if not proposal.queries and again:
                nothing = self._keep("the planner model has nothing else to search for")
                return replace(nothing, author="model", exhausted=True), ()
            if not proposal.queries or (bypass and proposal.kind != "decompose"):
                return self._keep(bypass or "the planner model kept the question"), ()
            return self._judged(proposal)
        except (ModelError, BudgetError) as error:
            return self._instead(str(error))

    def _translated(self) -> Refined:
        template = self.context.prompts.translate
        prompt = template.render(question=self.question, language=self.language)
        try:
            reply = self._ask(prompt, proposals.TRANSLATION_SCHEMA)
            proposal = proposals.read_translation(self.question, reply)
            if not proposal.problem:
                return self._judged(proposal)
            problem = proposal.problem
        except (ModelError, BudgetError) as error:
            problem = str(error)
        (note,) = self.untranslated
        return self._by_rules(f"not translated: {problem}"), (f"{note}: {problem}",)

    def _prompt(self) -> str:
        prompts, before = self.context.prompts, self.before
        if not before.again:
            return prompts.refine.render(question=self.question)
        count = self.context.ports.tokenizer.count
        return prompts.refine_again.render(
            question=self.question,
            gaps=gaps_text(self.question, before.check, before.evidence, count),
            tried="\n".join(map(_line, before.tried[-MOST_TRIED:])) or "nothing",
        )

    def _ask(self, prompt: str, schema: Mapping[str, object]) -> str:
        return self.context.meter.ask(
            self.context.ports.planner,
            "planner",
            [Message("user", prompt)],
            max_tokens=MAX_TOKENS,
            least_tokens=LEAST_TOKENS,
            schema=schema,
        ).text

    def _instead(self, problem: str) -> Refined:
        plan = self._by_rules(f"no proposal: {problem}")
        what = "the query was kept" if plan.kind == "keep" else "rules cut it into its parts"
        return plan, (f"refine: {problem}; {what}",)

    def _judged(self, proposal: proposals.Proposal) -> Refined:
        ports = self.context.ports
        own, measured = measure(self.question, proposal.queries, ports)
        standard = validators.Standard(
            question=self.question,
            own=own,
            model=ports.embedder.name,
            min_similarity=self.settings.min_similarity,
            known=self.before.known(self.question),
        )
        refinement = replace(validators.judge(proposal, measured, standard), author="model")
        blocked = [verdict for verdict in refinement.verdicts if verdict.blocked]
        notes = tuple(f"refine: blocked {v.query!r}: {v.blocked}" for v in blocked)
        # (in a later round what was found before was not enough: nothing has to come last)
        return refinement if self.before.again else validators.with_following(refinement), notes


def measure(
    question: str, queries: Sequence[str], ports: Ports
) -> tuple[validators.Finding, tuple[validators.Measures, ...]]:
    """Return the question's hits, and each query's similarity to the question and hits."""
    own, *vectors = ports.embedder.embed([question, *queries])
    scored = [ports.vectors.search(vector, k=SOURCES) for vector in (own, *vectors)]
    chunks = [ports.chunks.chunks([item.chunk_id for item in items]) for items in scored]
    by_chunk = len({chunk.doc_id for found in chunks for chunk in found}) == 1
    findings = [
        validators.Finding(
            max((item.value for item in items), default=0.0),
            frozenset(chunk.chunk_id if by_chunk else chunk.doc_id for chunk in found),
        )
        for items, found in zip(scored, chunks, strict=True)
    ]
    measured = tuple(
        validators.Measures(cosine(own, vector), found)
        for vector, found in zip(vectors, findings[1:], strict=True)
    )
    return findings[0], measured
