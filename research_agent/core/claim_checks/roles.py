"""Things that changed the parts they play: what stands behind "from", "into" or "unlike".

Such a word keeps what it rules, however a sentence is turned: "a key is made from a seed", "one
makes a key from a seed".
"""

from collections.abc import Iterator

from research_agent.core.claim_checks.compared import Compared
from research_agent.core.claim_checks.order import ARTICLES
from research_agent.core.claim_checks.reading import Statement

RULING = frozenset(
    ["into", "from", "to", "by", "with", "as", "on", "unlike", "dari", "ke", "di", "kepada", "oleh"]
)
"""Words before a thing that say which part it plays."""
FREE = frozenset(["unlike"])
"""Those among them that belong to no verb."""
BEFORE_VERBS = frozenset(["to"])
"""Those among them that stand before verbs too."""
REACH = 9
"""Words before such a word among which its verb is."""
LONGEST = 4
"""Words of a thing."""
FURTHER = 3
"""Words behind a comma that may name it again."""
CONTRAST = frozenset(["while", "whereas", "but", "sedangkan", "tetapi", "\u800c", "\u4f46"])
"""Words between two things that are set against each other."""


def misplaced_part(both: Compared) -> str:
    """Return what plays another thing's part; empty where nothing does.

    >>> from research_agent.core.claim_checks.reading import read
    >>> said = read("It changes a public key into a secret seed.")
    >>> misplaced_part(Compared(said, read("The secret seed is changed into a public key.")))
    'the evidence says "into" of "public", not of "secret"'
    """
    return _ruled(both) or _contrasted(both)


def _ruled(both: Compared) -> str:
    for place, word in enumerate(both.said.words):
        if word.text not in RULING:
            continue
        own = _thing(both.said, place)
        theirs = tuple(_things(both, place))
        if not own or any(_meets(both, own, named) for _, named in theirs):
            continue
        for first, named in theirs:
            if _is_elsewhere(both, own, named):
                said, quoted = both.said.words[own[0]].text, both.quoted.words[first].text
                return f'the evidence says "{word.text}" of "{quoted}", not of "{said}"'
    return ""


def _things(both: Compared, place: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield what stands behind the same word of the quote: its first word, and all its names."""
    word = both.said.words[place]
    for other in both.quoted.at(word.form):
        if both.quoted.words[other].text == word.text and _same_verb(both, place, other):
            thing = _thing(both.quoted, other)
            again = () if word.text in FREE else _again(both.quoted, thing)
            if thing:
                yield thing[0], (*thing, *again)


def _thing(statement: Statement, place: int) -> tuple[int, ...]:
    """Return the words of the thing behind a place, in its clause."""
    found: list[int] = []
    if statement.words[place].text in BEFORE_VERBS and not _is_noun(statement, place + 1):
        return ()
    for i in range(place + 1, len(statement.words)):
        word = statement.words[i]
        if word.clause != statement.words[place].clause or len(found) == LONGEST:
            break
        if word.text in RULING or word.value or word.has("be") or word.has("neg"):
            break
        if word.content:
            found.append(i)
    return tuple(found)


def _is_noun(statement: Statement, place: int) -> bool:
    """Return whether an article, a name or a capital letter shows that no verb begins there."""
    word = statement.words[place] if place < len(statement.words) else None
    return word is not None and (word.text in ARTICLES or word.name or word.capital)


def _again(statement: Statement, thing: tuple[int, ...]) -> tuple[int, ...]:
    """Return the names right behind a thing that name it again: "one of them, X"."""
    if not thing:
        return ()
    after = range(thing[-1] + 1, min(thing[-1] + 1 + FURTHER, len(statement.words)))
    sentence = statement.words[thing[-1]].sentence
    return tuple(
        i for i in after if statement.words[i].name and statement.words[i].sentence == sentence
    )


def _same_verb(both: Compared, place: int, other: int) -> bool:
    """Return whether the same word rules both: a verb before each, with nothing like it between."""
    if both.said.words[place].text in FREE:
        return True
    theirs = [i for i in _before(both.quoted, other) if both.quoted.words[i].content][:1]
    return any(
        i in both.quoted.like(both.said.words[k])
        for i in theirs
        for k in _before(both.said, place)
        if both.said.words[k].content
    )


def _before(statement: Statement, place: int) -> Iterator[int]:
    own = statement.words[place]
    for i in range(place - 1, max(place - 1 - REACH, -1), -1):
        if statement.words[i].clause != own.clause:
            return
        yield i


def _meets(both: Compared, own: tuple[int, ...], theirs: tuple[int, ...]) -> bool:
    return any(both.pairs[i] in theirs for i in own)


def _is_elsewhere(both: Compared, own: tuple[int, ...], theirs: tuple[int, ...]) -> bool:
    """Return whether each side says the other's thing in another place."""
    said = (both.said.words[i] for i in own)
    left = any(both.quoted.at(word.form) or both.context.at(word.form) for word in said)
    words = (both.quoted.words[i] for i in theirs)
    right = any(k not in own for word in words for k in both.said.at(word.form))
    return left and right


def _contrasted(both: Compared) -> str:
    """Return what of two things set against each other is said of the other one."""
    mine, theirs = _halves(both.said), _halves(both.quoted)
    if not mine or not theirs:
        return ""
    sides = [_sides(both, half, theirs) for half in mine]
    mixed = [bool(left) and bool(right) for left, right in sides]
    if all(mixed) and _crosses(sides):
        first = both.said.words[min(*sides[0][0], *sides[0][1])].text
        return f'the evidence sets "{first}" against what is said of it'
    for left, right in sides:
        few, many = sorted((left, right), key=len)
        names = [i for i in few if both.said.words[i].name]
        if len(few) == len(names) == 1 and len(many) > 1:
            return f'the evidence says another thing of "{both.said.words[names[0]].text}"'
    return ""


def _crosses(sides: list[tuple[list[int], list[int]]]) -> bool:
    """Return whether the halves begin with what belongs to opposite halves of the quote."""
    first = [min(left) < min(right) for left, right in sides]
    return first[0] != first[1]


def _sides(
    both: Compared, half: frozenset[int], theirs: tuple[frozenset[int], frozenset[int]]
) -> tuple[list[int], list[int]]:
    """Return the words of a half that stand in one half of the quote alone, for both halves."""
    found: tuple[list[int], list[int]] = ([], [])
    for i in sorted(half):
        word = both.said.words[i]
        tells = (word.content or word.value) and not word.has("break")
        places = {*both.quoted.like(word)} if tells else set()
        held = [bool(places & part) for part in theirs]
        outside = places - theirs[0] - theirs[1]
        if held[0] != held[1] and not outside:
            found[held.index(True)].append(i)
    return found


def _halves(statement: Statement) -> tuple[frozenset[int], frozenset[int]] | None:
    """Return the words before and behind the word that sets two things against each other."""
    words = statement.words
    at = next((i for i, word in enumerate(words) if word.text in CONTRAST), None)
    if at is None:
        return None
    same = [i for i, word in enumerate(words) if word.sentence == words[at].sentence]
    if at == same[0]:
        turn = next((i for i in same if words[i].clause > words[at].clause), None)
        at = turn if turn is not None else at
    left = frozenset(i for i in same if i < at)
    right = frozenset(i for i in same if i >= at)
    return (left, right) if left and right else None
