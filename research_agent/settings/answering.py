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
    algorithm that is asked for is shown as it stands, and sentences of the evidence take the
    place of an answer that only repeats the question ("auto")."""
    passages: Annotated[int, Range(1, 100, "passages")] = 6
    """Sentences, rows or algorithms that are shown, or written from, at most."""
    passage_words: Annotated[int, Range(10, 10_000, "words")] = 120
    """Words of them at most; the first is never cut."""
    passages_by: Literal["model", "ranking"] = "model"
    """Who puts passages in order: the model, by the probability that each states a part of the
    answer, or the ranking alone, which asks nobody. Without log-probabilities the ranking does."""
    passages_judged: Annotated[int, Range(1, 200, "passages")] = 12
    """The ranking's first passages that the model judges, one short call each."""
    min_new: Annotated[float, Range(0, 1, "share")] = 0.5
    """Mode "auto": where reasons are asked for, an answer with a smaller share of words that its
    question does not have explains nothing. To other questions one new word is an answer."""
    refusal: Literal["check", "prompt"] = "check"
    """Decide afterwards, by a yes/no question about the written answer, or let the model refuse."""
    min_answerable: Annotated[float, Range(0, 1, "probability")] = 0.5
    """Mode "check": with a lower probability of "yes" the answer is a refusal."""
    max_tokens: Annotated[int, Range(16, 8000, "tokens")] = 300
    """Length of the answer at most."""
    max_words: Annotated[int, Range(0, 10_000, "words")] = 120
    """Words of a written answer, in whole sentences, unless the question asks for more, such as
    for all steps; 0: no limit. Code and tables stay whole."""
    repair: Literal["drop", "reask"] = "drop"
    """Leave out sentences that nothing supports, or first have the model write them again once,
    all in one call, with what is wrong."""


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
    min_support: Annotated[float, Range(0, 1, "share")] = 0.5
    """Share of a sentence's content words that its quote has to hold."""
    similarity: Literal["off", "told", "counted"] = "off"
    """How alike a sentence and its quote are by their embeddings: not measured, told in the result,
    or also counted: where no check finds anything, a sentence with 0.3 or more of its words in a
    quote that is alike (0.7) is supported."""
    judge: Literal["off", "model"] = "off"
    """Ask the verifier's model about sentences that no quote has word for word, one short call
    each, up to eight an answer; what it denies is unsupported. Needs log-probabilities."""
    min_yes: Annotated[float, Range(0, 1, "probability")] = 0.3
    """Judge "model": a sentence with a lower probability of "yes" is denied."""
    samples: Annotated[int, Range(1, 2, "answers")] = 1
    """2: without log-probabilities a second answer is asked for, which costs a call, and what only
    one of both says is the doubt."""
    sample_temperature: Annotated[float, Range(0.1, 2)] = 0.7
    """How freely the second answer is sampled; at 0 it would be the first one again."""
    max_disagreement: Annotated[float, Range(0, 1, "share")] = 0.5
    """Share of what two answers say that only one says, up to which the model counts as sure."""
    asked_value: Literal["on", "off"] = "on"
    """Refuse where a number, a time or a name is asked for and no supported sentence has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSettings:
    """Where the agent stops in any case."""

    rounds: Annotated[int, Range(1, 20, "rounds")] = 1
    """Passes from retrieve to verify; 2 or more: an answer in doubt is searched for again."""
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
