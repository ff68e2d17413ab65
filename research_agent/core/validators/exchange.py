"""Whether two texts of the same words have exchanged who acts and who is acted upon."""

from collections.abc import Sequence

from research_agent.core.validators.reading import Item, Reading

Pieces = tuple[str, ...]


def exchanged(asked: Reading, wanted: Reading) -> str:
    """Return what changed places, empty where nothing did."""
    return _in_place(asked, wanted) or _marked(asked, wanted) or _passive(asked, wanted)


def _in_place(asked: Reading, wanted: Reading) -> str:
    """Find two pieces that stand in each other's place while the rest stays."""
    left, right = _unlike(_plain(asked), _plain(wanted))
    if len(left) != len(right):
        return ""
    for i in range(1, len(left)):
        second = _behind(left[i:], right[:-i]) if left[:i] == right[-i:] else ()
        between = left[i : len(left) - len(second)]
        if second and not set(map(str.strip, between)) <= set(asked.words.conjunctions):
            return f"{''.join(left[:i]).strip()} and {''.join(second).strip()} changed places"
    return ""


def _unlike(left: Pieces, right: Pieces) -> tuple[Pieces, Pieces]:
    """Return both without what they begin and end with alike."""
    while left and right and left[0] == right[0]:
        left, right = left[1:], right[1:]
    while left and right and left[-1] == right[-1]:
        left, right = left[:-1], right[:-1]
    return left, right


def _behind(left: Pieces, right: Pieces) -> Pieces:
    """Return what stands last in `left` and first in `right`, the rest being the same."""
    for j in range(1, len(left)):
        if left[-j:] == right[:j] and left[:-j] == right[j:]:
            return left[-j:]
    return ()


def _plain(reading: Reading) -> tuple[str, ...]:
    """Return the pieces of a text in one form each; characters where words are not apart."""
    if not reading.words.spaced:
        return tuple("".join(item.text for item in reading.items))
    return tuple(
        min(item.forms, key=lambda form: (len(form.rstrip("-")), form)).rstrip("-") + " "
        if item.forms
        else f"{item.text} "
        for item in reading.items
        if item.text not in reading.words.articles
    )


def _marked(asked: Reading, wanted: Reading) -> str:
    """Find a preposition whose object is now another thing of the question."""
    before, after = _objects(asked), _objects(wanted)
    for marker in sorted(before.keys() & after.keys()):
        own, new = before[marker], after[marker]
        moved = [item for item in new if not _among(item, own) and _among(item, asked.content)]
        if moved and not any(_among(item, new) for item in own):
            return f"{marker} {moved[0].text} stood otherwise in the question"
    return ""


def _objects(reading: Reading) -> dict[str, list[Item]]:
    """Return the first thing behind each preposition, and those joined to it by "and"."""
    found: dict[str, list[Item]] = {}
    for at, item in enumerate(reading.items):
        if item.has("marker"):
            later = [i for i in reading.items[at + 1 :] if _is_thing(i) or i.has("conjunction")]
            first = next((n for n, i in enumerate(later) if _is_thing(i)), len(later))
            things = later[first : first + 1]
            for joint, thing in zip(later[first + 1 :: 2], later[first + 2 :: 2], strict=False):
                if not (joint.has("conjunction") and _is_thing(thing)):
                    break
                things.append(thing)
            found.setdefault(item.text, []).extend(things)
    return found


def _is_thing(item: Item) -> bool:
    return item.content or bool(item.number)


def _passive(asked: Reading, wanted: Reading) -> str:
    """Find an agent ("by the server") that does not act in the other text, or the reverse."""
    own, new = _agent(asked), _agent(wanted)
    if (own is None) == (new is None):
        return ""
    passive, active = (wanted, asked) if new else (asked, wanted)
    agent = new or own
    subject = next((i for i in passive.content if _among(i, active.content)), None)
    places = [at for at, i in enumerate(active.content) if agent and _same(i, agent)]
    patients = [at for at, i in enumerate(active.content) if subject and _same(i, subject)]
    if agent and subject and places and patients and places[0] > patients[0]:
        return f"{agent.text} and {subject.text} changed places"
    return ""


def _agent(reading: Reading) -> Item | None:
    for at, item in enumerate(reading.items):
        if item.has("agent"):
            return next((i for i in reading.items[at + 1 :] if i.content), None)
    return None


def _same(one: Item, other: Item) -> bool:
    return one.text == other.text or bool(one.forms & other.forms)


def _among(item: Item, others: Sequence[Item]) -> bool:
    return any(_same(item, other) for other in others)
