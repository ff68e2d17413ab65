"""A conversation as text: in a terminal, and as a Markdown file with citations that open.

`say` makes control characters visible; Markdown is escaped here.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from research_agent.answering.result_lines import NUMBER, numbered, numbers
from research_agent.conversation.sessions import SessionInfo
from research_agent.interfaces.cli.rendering import address
from research_agent.interfaces.report.content import in_context
from research_agent.interfaces.report.recording import EarlierTurn
from research_agent.interfaces.steps import several
from research_agent.ports import ChunkStore
from research_agent.text.alignment import PageSpan
from research_agent.text.visible import escaped_answer, plain
from research_agent.types import Chunk
from research_agent.types.conversation import Choices, Cited, Turn
from research_agent.types.uncertainty import measured

_NUMBER = re.compile(NUMBER)
_CUT = re.compile(r"(\w+)[\x02\xad\ufffe](\w*)")
"""A word that the end of a line cuts, with how a PDF's page marks that."""
AROUND = 300
"""Characters of a page that are shown on each side of a quote."""


def cited(turn: Turn) -> tuple[tuple[str, Cited], ...]:
    """Return the citations of an answer with the numbers that readers see, in their order."""
    by_key = {item.key: item for item in turn.citations}
    return tuple((number, by_key[key]) for key, number in numbers(turn.answer, by_key).items())


def answer_text(turn: Turn) -> str:
    """Return an answer with numbers for its keys."""
    return numbered(turn.answer, {item.key: number for number, item in cited(turn)})


def lacking(turn: Turn) -> tuple[str, ...]:
    """Return what an answer lacks.

    >>> lacking(Turn(unanswered=("its price", "")))
    ('its price', 'a part of the question')
    """
    return tuple(part or "a part of the question" for part in turn.unanswered)


def answer_with_lacks(turn: Turn) -> str:
    """Return an answer with numbers for its keys, and below it what it lacks."""
    return "\n".join([answer_text(turn), *(f"not answered: {part}" for part in lacking(turn))])


def earlier(turns: Sequence[Turn]) -> tuple[EarlierTurn, ...]:
    """Return turns as a report shows those before the last one."""
    return tuple(EarlierTurn(turn.text, answer_with_lacks(turn), cited(turn)) for turn in turns)


def understood(turn: Turn) -> str:
    """Return how a question was contextualized; empty where it needed no context.

    >>> understood(Turn(question="How large is the key?", how="model"))
    'asked: How large is the key? (model)'
    """
    return _asked(turn) if turn.how != "new" else ""


def cost_text(turn: Turn, *, short: bool = False) -> str:
    """Return how a turn ended and what it cost, in one line.

    >>> cost_text(Turn(status="answered", stop_reason="confident", rounds=1, llm_calls=2))
    'answered (confident) in 0.0 s: 1 round, 2 model calls, 0 tokens read, 0 written'
    """
    seconds, calls = f"{turn.seconds:.1f} s", several(turn.llm_calls, "model call")
    if short:
        return f"{turn.status} in {seconds}, {calls}"
    tokens = f"{turn.prompt_tokens} tokens read, {turn.completion_tokens} written"
    ending = f"{turn.status} ({turn.stop_reason}) in {seconds}"
    return f"{ending}: {several(turn.rounds, 'round')}, {calls}, {tokens}"


def choices_text(choices: Choices) -> str:
    """Return what a person has to choose between.

    >>> print(choices_text(Choices("Which document do you mean?", ("rye", "wheat"))))
    Which document do you mean?
      1  rye
      2  wheat
    A number or a name; anything else: all of them.
    """
    names = (" ".join(name.split()) for name in choices.options)
    options = [f"  {number}  {name}" for number, name in enumerate(names, 1)]
    return "\n".join(
        [choices.question, *options, "A number or a name; anything else: all of them."]
    )


def why_text(turn: Turn) -> str:
    """Return what was searched, kept and dropped for an answer, and how sure it is."""
    kept = f"kept {turn.kept} of {turn.original} chunks"
    sure = _nats(turn.mean_entropy)
    if len(turn.entropies) > 1:
        sure += f" (round by round: {', '.join(map(_nats, turn.entropies))})"
    lines = [
        f"typed: {turn.text}",
        _asked(turn),
        *([f"limited to: {turn.scope}"] * bool(turn.scope)),
        *(f"searched: {query}" for query in turn.queries),
        f"{kept}, dropped {turn.original - turn.kept} (filter: {turn.filter_mode})",
        f"confidence of the search: {turn.confidence:.2f} ({turn.confidence_reason})",
        f"mean entropy of the answer: {sure}",
        *([f"uncertainty: {turn.uncertainty}"] * bool(turn.uncertainty)),
        *map(measured, turn.unsure),
        f"ended: {turn.status}, {turn.stop_reason}, after {several(turn.rounds, 'round')}",
    ]
    if turn.answerable is not None:
        lines.append(f"the evidence answers the question: {turn.answerable:.2f}")
    if turn.refusal_reason:
        lines.append(f"refused: {turn.refusal_reason}")
    return "\n".join([*lines, *(f"note: {warning}" for warning in turn.warnings)])


def session_line(session: SessionInfo, thread: str) -> str:
    """Return a session's line in the list; `thread` is the open one's."""
    used = datetime.fromtimestamp(session.used, UTC).strftime("%Y-%m-%d %H:%M UTC")
    mark = "*" if session.thread == thread else " "
    return f"{mark} {session.name}: {session.turns} turns, last used {used}, index {session.index}"


def _asked(turn: Turn) -> str:
    return f"asked: {turn.question} ({turn.how}{': ' + turn.reason if turn.reason else ''})"


def _nats(entropy: float | None) -> str:
    return "unknown" if entropy is None else f"{entropy:.2f} nats"


def sources_text(turn: Turn, problems: Sequence[str]) -> str:
    """Return the citations of an answer with addresses that open, then what has changed."""
    if not turn.citations:
        return "the last answer cites nothing"
    lines = [
        f"[{number}] {item.place}\n     {address(item.source, item.quoted_page)}"
        for number, item in cited(turn)
    ]
    return "\n".join([*lines, *problems])


def quote_places(
    quotes: Sequence[tuple[str, Sequence[PageSpan]]], chunk: Chunk, chunks: ChunkStore
) -> Mapping[int, list[tuple[int, int]]]:
    """Return start and end of each quote by page; by 0 those in their chunk's own text."""
    found = defaultdict[int, list[tuple[int, int]]](list)
    for quote, spans in quotes:
        shown = [span for span in spans if chunks.page_text(chunk.chunk_id, span.page)]
        for span in shown:
            found[span.page].append((span.start, span.end))
        if not shown:
            start = chunk.text.find(quote)
            found[0].append((start, start + len(quote)))
    return found


def quotes_in(
    text: str, item: Cited, number: str, quoted: Sequence[tuple[int, int]], chunk: str
) -> str:
    """Return the part of a page or chunk around its quotes, with each between » and «.

    Lines of a PDF's page end with a carriage return too, which is left out. Words that they cut
    are whole where the text of the `chunk` has them so, else they have a hyphen.
    """
    quotes = [(start, end, text[start:end]) for start, end in quoted]
    pieces = in_context(text, quotes, around=AROUND)
    around = "".join(f"»{words}«" if marked else words for words, marked in pieces)
    whole = _CUT.sub(
        lambda cut: ("" if cut[1] + cut[2] in chunk else "-").join(cut.groups()), around
    )
    body = "\n".join(whole.strip().splitlines())
    where = address(item.source, item.quoted_page)
    return f"[{number.strip('[]')}] {item.place}\n{where}\n\n{body}"


def markdown(name: str, turns: Sequence[Turn]) -> str:
    """Return the turns as Markdown with links to pages; words of others are escaped."""
    return "\n\n".join([f"# {plain(name)}", *map(_turn, turns)]) + "\n"


def _turn(turn: Turn) -> str:
    links = {
        number: f"[\\[{number}\\]](<{address(item.source, item.quoted_page)}>)"
        for number, item in cited(turn)
    }
    pieces = _NUMBER.split(answer_text(turn))
    answer = "".join(
        links.get(piece, f"\\[{piece}\\]") if at % 2 else escaped_answer(piece)
        for at, piece in enumerate(pieces)
    )
    asked = [f"*Asked:* {plain(turn.question)}"] if turn.question != turn.text else []
    lacks = "\n".join(f"- {plain(part)}" for part in lacking(turn))
    below = "\n".join(
        f"- {links[number]} {plain(item.place)}: {', '.join(map(_quoted, item.words))}"
        for number, item in cited(turn)
    )
    parts = [f"## {plain(turn.text)}", *asked, answer, lacks and f"Not answered:\n\n{lacks}", below]
    return "\n\n".join(filter(None, parts))


def _quoted(quote: str) -> str:
    return f"\N{LEFT DOUBLE QUOTATION MARK}{plain(quote)}\N{RIGHT DOUBLE QUOTATION MARK}"
