"""Fit how likely evidence answers a question from the model's yes and the cross-encoder's logit.

The drafts and checks are those of `refusals`; a source is left out, and the other ones fit weights
and limit.
"""

from collections.abc import Sequence
from dataclasses import replace

from benchmarks.grounding_fit import Fitted, fit
from benchmarks.intervals import wilson
from benchmarks.places import RECORDINGS, REFUSALS
from benchmarks.questions import read
from benchmarks.refusals import scored
from benchmarks.refusals_asking import Asked, Chosen, ask
from benchmarks.refusals_scoring import Errors, Scored, best_limit, errors_at
from benchmarks.tables import markdown
from benchmarks.uncertainty_metrics import auroc_within
from research_agent.answering.write.answerability import pieces
from research_agent.models.adapters.minilm import CrossEncoder, MiniLM
from research_agent.verification.calibration import Judged

WORDING = "support"
"""The wording of the check that the product asks."""
BOTH = "yes and relevance"
PENALTY = 5.0


def run(weights: str) -> str:
    """Return the table of errors with a source left out, and the weights fitted on all."""
    chosen = Chosen(weights=weights)
    found = ask(read(REFUSALS), RECORDINGS / f"refusals-{weights}.jsonl", chosen)
    relevance = _relevance(found)
    rows = [scored(one) for one in found]
    sources = sorted({row.source for row in rows})
    told, errors, limits = list[Scored](), list[Errors](), list[float]()
    for source in sources:
        model = _fitted(rows, relevance, [row.source != source for row in rows])
        both = _with_both(rows, relevance, model)
        limit = best_limit([row for row in both if row.source != source], BOTH)
        own = [row for row in both if row.source == source]
        errors.append(errors_at(own, BOTH, limit))
        told += own
        limits.append(limit)
    lines = [
        [
            source,
            _auroc(told, source, WORDING),
            _auroc(told, source, BOTH),
            f"{limit:.3f}",
            *_shares(error),
        ]
        for source, limit, error in zip(sources, limits, errors, strict=True)
    ]
    every = _fitted(rows, relevance, [True] * len(rows))
    whole = _with_both(rows, relevance, every)
    limit = best_limit(whole, BOTH)
    lines.append(["chosen on all", "", "", f"{limit:.3f}", *_shares(errors_at(whole, BOTH, limit))])
    heads = ["source left out", "AUROC of P(yes)", "of both", "limit"]
    heads += ["answerable refused", "unanswerable refused"]
    return "\n\n".join((markdown(heads, lines), _constants(every)))


def _relevance(found: Sequence[Asked]) -> list[float]:
    model = CrossEncoder(MiniLM())
    return [
        max(model.relevance(str(one.row["question"]), pieces(list(one.row["passages"]))))
        for one in found
    ]


def _fitted(rows: Sequence[Scored], relevance: Sequence[float], used: Sequence[bool]) -> Fitted:
    import numpy as np

    kept = [i for i, use in enumerate(used) if use]
    values = np.array([[rows[i].p[WORDING], relevance[i]] for i in kept])
    answerable = np.array([int(rows[i].answerable) for i in kept])
    return fit(values, answerable, np.zeros(len(kept), dtype=str), penalty=PENALTY)


def _with_both(rows: Sequence[Scored], relevance: Sequence[float], model: Fitted) -> list[Scored]:
    import numpy as np

    values = np.array([[row.p[WORDING], near] for row, near in zip(rows, relevance, strict=True)])
    probable = model.probabilities(values)
    return [
        replace(row, p={**row.p, BOTH: float(p)}) for row, p in zip(rows, probable, strict=True)
    ]


def _auroc(rows: Sequence[Scored], source: str, wording: str) -> str:
    own = [Judged(1.0 - row.p[wording], not row.answerable) for row in rows if row.source == source]
    found = auroc_within([own])
    return f"{found.mean:.2f} ({found.low:.2f} to {found.high:.2f})"


def _shares(errors: Errors) -> list[str]:
    pairs = ((errors.wrongly, errors.answerable), (errors.rightly, errors.unanswerable))
    shares = ((count, of, wilson(count, of)) for count, of in pairs)
    return [f"{n} of {of} ({100 * w.low:.0f} to {100 * w.high:.0f} %)" for n, of, w in shares]


def _constants(model: Fitted) -> str:
    yes, relevance = (float(w / s) for w, s in zip(model.weights, model.scales, strict=True))
    bias = model.bias - sum(
        float(w * m / s) for w, m, s in zip(model.weights, model.means, model.scales, strict=True)
    )
    return f"Fitted on all: YES {yes:.3f}, RELEVANCE {relevance:.3f}, BIAS {bias:.3f}"
