"""What goes into an answer, how it is checked, and what it may cost."""

from dataclasses import dataclass
from typing import Annotated, Literal

from research_agent.settings.ranges import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSettings:
    """How much goes into a prompt."""

    max_chunks: Annotated[int, Range(1, 100, "chunks")] = 5
    """New chunks a round."""
    max_tokens: Annotated[int, Range(100, 200_000, "tokens")] = 1500
    """Tokens of evidence a round may add."""
    max_chars: Annotated[int, Range(400, 1_000_000, "characters")] = 12_000
    """Characters of evidence a round may add."""
    max_a_document: Annotated[int, Range(0, 100, "chunks")] = 0
    """New chunks of one document a round; 0: no limit."""
    neighbours: Annotated[int, Range(0, 5, "chunks")] = 0
    """Chunks before and after each one that enter where tokens and characters are left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSettings:
    """How the answer is written and refused."""

    mode: Literal["auto", "abstractive", "extractive", "select_then_write"] = "auto"
    """The model writes ("abstractive"); sentences of the evidence nearest to the question
    ("extractive"); the model writes from those alone ("select_then_write"); or it writes, but an
    algorithm that is asked for is shown as it stands, and passages on each of two things that are
    compared take the place of a model's refusal ("auto")."""
    passages: Annotated[int, Range(1, 100, "passages")] = 6
    """Sentences, rows or algorithms that are shown, or written from, at most."""
    passage_words: Annotated[int, Range(10, 10_000, "words")] = 120
    """Words of them at most; the first is never cut."""
    passages_by: Literal["model", "ranking"] = "model"
    """Who puts passages in order: the model, by the probability that each states a part of the
    answer, or the ranking alone, which asks nobody. Without log-probabilities the ranking does."""
    passages_judged: Annotated[int, Range(1, 200, "passages")] = 12
    """The ranking's first passages that the model judges, one short call each."""
    refusal: Literal["auto", "check", "prompt"] = "auto"
    """The prompt says what to reply where the evidence does not hold the answer ("prompt"), or a
    yes/no question about the written answer decides afterwards ("check"). "auto": "check" for the
    embedded model, which refuses too much where its prompt allows it, "prompt" for all others."""
    min_answerable: Annotated[float, Range(0, 1, "probability")] = 0.41
    """Refusal "check": an answer is a refusal below this probability, which is made of the model's
    "yes" and a cross-encoder; both are fitted to the embedded model. Without log-probabilities
    the model's yes or no decides."""
    max_tokens: Annotated[int, Range(16, 8000, "tokens")] = 300
    """Length of the answer at most."""
    unconfirmed: Literal["mark", "drop", "refuse"] = "mark"
    """What becomes of sentences that are not supported: they are shown with a mark, left out and
    told apart, or the whole answer is refused for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifySettings:
    """When an answer counts as supported and certain, and what a further round writes."""

    profile: Literal["entropy", "dragin", "seed", "seed_fifth"] = "entropy"
    """What an answer's doubt is: the mean entropy of its tokens; the score of its most doubtful
    word; or, of seed system 1, its normalised uncertainty, or the mean entropy of the most
    uncertain fifth of its tokens."""
    max_entropy: Annotated[float, Range(0, 10, "nats")] = 0.6
    """Mean entropy of the answer's tokens up to which the model counts as sure."""
    max_doubt: Annotated[float, Range(0, 10, "nats")] = 0.6
    """Profile "dragin": score of a word up to which its sentence counts as sure."""
    seed_threshold: Annotated[float, Range(0, 1)] = 0.5
    """Seed 1's DRAGIN_THRESHOLD. Profile "seed": confidence, which is 1 - normalised uncertainty,
    from which on an answer counts as sure; "seed_fifth": nats up to which it does."""
    seed_iterations: Annotated[int, Range(1, 20, "rounds")] = 2
    """Both of them: DRAGIN_MAX_ITERATIONS; `budget.rounds` holds as well."""
    regenerate: Literal["answer", "sentence"] = "answer"
    """What a further round writes: the whole answer, or its doubtful sentences alone while the
    others stay as they are."""
    min_value: Annotated[float, Range(0, 10)] = 0.0
    """Least quality (0 to 1) that 1,000 tokens of a further round have to promise; 0: any."""
    min_support: Annotated[float, Range(0, 1, "probability")] = 0.0
    """Probability of support below which a sentence is unconfirmed; 0: the fitted limit."""
    judge: Literal["auto", "off", "unsure", "all"] = "auto"
    """Ask the verifier's model in one call which sentences the evidence supports: all that stand
    nowhere word for word, or those alone whose score is near the limit. "auto": "unsure" for the
    embedded model, "all" for others."""
    samples: Annotated[int, Range(1, 2, "answers")] = 1
    """2: without log-probabilities a second answer is asked for, which costs a call, and what only
    one of both says is the doubt."""
    sample_temperature: Annotated[float, Range(0.1, 2)] = 0.7
    """How freely the second answer is sampled; it reads the evidence in the reverse order."""
    max_disagreement: Annotated[float, Range(0, 1, "share")] = 0.5
    """Share of what two answers say that only one says, up to which the model counts as sure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSettings:
    """Where the agent stops in any case."""

    rounds: Annotated[int, Range(1, 20, "rounds")] = 1
    """Passes from retrieve to verify; 2 or more: a refusal, a missing part, an unconfirmed or a
    doubtful sentence is searched for again. Presets set it."""
    max_rounds: Annotated[int, Range(1, 20, "rounds")] = 3
    """Rounds that a caller may ask for, in Python, in Studio, as a tool or over MCP."""
    llm_calls: Annotated[int, Range(1, 10_000, "calls")] = 40
    """Calls to language models, for one question like all that follow."""
    tool_calls: Annotated[int, Range(1, 10_000, "calls")] = 20
    """Searches."""
    tokens: Annotated[int, Range(100, 100_000_000, "tokens")] = 100_000
    """Tokens that language models read and write."""
    seconds: Annotated[float, Range(1, 86_400, "seconds")] = 900.0
    """Time for the whole question; what is left of it is each call's deadline."""
    cost: Annotated[float, Range(0, 1_000_000)] = 0.0
    """Money, in the unit of `models.prices`; 0: no limit."""
