"""An evaluation as Markdown, as JSON and as one HTML page with plots, and the files they go to."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path

from markdown_it import MarkdownIt

from research_agent.evaluation.metrics import Difference
from research_agent.evaluation.rows import STAGES, EvalRow
from research_agent.interfaces.evaluation.running import Evaluation
from research_agent.interfaces.report.writing import page_html
from research_agent.private_files import replace_text
from research_agent.text.visible import plain

PACKAGE = "research_agent.interfaces.evaluation"
LEAST_SHOWN, LONGEST = 1e-3, 500
"""Of a number that is shown with two decimals; characters of an answer."""
SPENT = ("llm_calls", "prompt_tokens", "completion_tokens", "seconds", "cost")
"""Figures that do not lie between 0 and 1."""


def evaluation_json(evaluation: Evaluation, changes: Sequence[Difference]) -> dict[str, object]:
    """Return the figures as JSON values, without the rows."""
    figures = {one.name: asdict(one) for one in evaluation.summary.figures}
    found = {"about": dict(evaluation.about), **asdict(evaluation.summary), "figures": figures}
    return found | {"changes": {one.name: asdict(one) for one in changes}}


def value(number: float) -> str:
    """Return a figure as text: with two decimals, large ones whole.

    >>> value(0.126), value(1234.5), value(0.00012)
    ('0.13', '1,234', '0.00012')
    """
    if 0 < abs(number) < LEAST_SHOWN:
        return f"{number:.2g}"
    return f"{number:,.0f}" if abs(number) >= 100 else f"{number:.2f}"  # noqa: PLR2004 (percent)


def notes(evaluation: Evaluation) -> list[str]:
    """Return what has to be said beside the figures, a sentence each."""
    run, tokens = evaluation.summary, evaluation.summary.tokens_a_right_answer
    sentences = {
        f"{run.questions} questions, {run.answerable} of them answerable.": True,
        "Only refusals are measured.": not run.answerable,
        f"{run.failed} ended with an error and count in no figure of answers.": run.failed,
        f"{run.judged} answers were judged by a model: their questions give no facts.": run.judged,
        f"The judge said nothing usable of {run.nonsense} answers; they count apart.": run.nonsense,
        f"Whether {run.unknown} answers are right is not known.": run.unknown,
        f"{value(tokens or 0)} tokens a right answer.": tokens,
    }
    lines = [sentence for sentence, holds in sentences.items() if holds]
    lines += [
        f"Area below the risk-coverage curve by {x}: {value(y)}." for x, y in run.areas.items()
    ]
    if run.lost:
        parts = [f"{run.lost[stage]} not {stage}" for stage in STAGES if stage in run.lost]
        lines.append(", ".join([f"Golds: {run.lost.get('', 0)} came through", *parts]) + ".")
    return lines


def change(one: Difference) -> tuple[str, ...]:
    """Return a difference as the cells of its row."""
    gap = f"{one.difference.low:+.3g} to {one.difference.high:+.3g}"
    clear, test = "yes" if one.is_clear else "no", "" if one.p is None else f"{one.p:.3g}"
    pairs = f"{one.gained} more, {one.fewer} less"
    return (one.name, value(one.old), value(one.new), gap, clear, pairs, test)


CHANGES = ("metric", "old", "new", "difference, 95 %", "clear", "questions", "McNemar's p")


def markdown(
    evaluation: Evaluation,
    changes: Sequence[Difference],
    shown: Callable[[str], str] = plain,
) -> str:
    """Return the figures as Markdown; what others wrote is escaped by `shown`."""
    about = "\n".join(f"- {name}: {shown(text)}" for name, text in evaluation.about.items())
    figures = [
        (
            one.name,
            value(one.mean),
            f"{value(one.low)} to {value(one.high)}",
            str(one.questions),
            one.about,
        )
        for one in evaluation.summary.figures
    ]
    heads = ("metric", "mean", "95 %", "questions", "what it is")
    parts = ["# Evaluation", about, "\n".join(notes(evaluation)), _table(heads, figures)]
    if changes:
        parts += ["## Beside the old run", _table(CHANGES, [*map(change, changes)])]
    outcomes = [_outcome(row, shown) for row in evaluation.rows if _is_wrong(row)]
    if outcomes:
        parts += ["## Not right", _table(("id", "question", "what happened", "answer"), outcomes)]
    return "\n\n".join(parts) + "\n"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, *rows)]
    return "\n".join([lines[0], f"|{'---|' * len(heads)}", *lines[1:]])


def _is_wrong(row: EvalRow) -> bool:
    return bool(row.error) or row.right is False or (not row.asked and any(row.lost))


def _outcome(row: EvalRow, shown: Callable[[str], str]) -> tuple[str, ...]:
    happened = [
        "error" if row.error else row.status,
        f"judge: {row.judged}" if row.judged else "",
        f"{sum(row.facts)} of {len(row.facts)} facts" if row.facts else "",
        *(f"a gold not {stage}" for stage in STAGES if stage in row.lost),
    ]
    answer = (row.error or row.answer)[:LONGEST]
    return (shown(row.qid), shown(row.question), ", ".join(filter(None, happened)), shown(answer))


def html(evaluation: Evaluation, changes: Sequence[Difference]) -> str:
    """Return the same and plots as one HTML page without scripts or requests."""
    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    return page_html(
        "evaluation.html.jinja",
        package=PACKAGE,
        style=(files(PACKAGE) / "templates" / "plots.css").read_text(encoding="utf-8"),
        body=reader.render(markdown(evaluation, changes)),
        bars=[one for one in evaluation.summary.figures if not one.name.startswith(SPENT)],
        curves={
            source: [f"{400 * at.coverage:.1f},{200 - 200 * at.risk:.1f}" for at in curve]
            for source, curve in evaluation.summary.curves.items()
        },
        value=value,
    )


def write_pages(evaluation: Evaluation, changes: Sequence[Difference], folder: Path) -> None:
    """Write summary.json, report.md and report.html to a folder."""
    texts = {
        "summary.json": json.dumps(evaluation_json(evaluation, changes), indent=1),
        "report.md": markdown(evaluation, changes),
        "report.html": html(evaluation, changes),
    }
    for name, text in texts.items():
        replace_text(folder / name, text.encode(errors="backslashreplace").decode())
