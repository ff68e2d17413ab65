"""Fractions, drawn above and below a bar -> `a/b` on the line that they stand in."""

from collections import Counter
from collections.abc import Sequence

from research_agent.documents.layout.spans import SMALL, Glyph, Rule

WIDEST = 200.0  # points; a longer bar is a table's
SLACK = 0.35  # sizes of type by which a bar is longer than what it divides at most
ABOVE, BELOW = 0.9, 1.3  # sizes of type from the bar to the baselines of both parts at most
AXIS = 0.25  # height of a bar above the baseline, in sizes of type


def with_fractions(glyphs: Sequence[Glyph], rules: Sequence[Rule]) -> Sequence[Glyph]:
    """Return the glyphs, those of each fraction on its line, with a stroke instead of its bar.

    Only where both parts are drawn one after the other and fill the bar.
    """
    for rule in sorted(rules, key=lambda rule: rule.right - rule.left):
        if rule.right - rule.left < WIDEST:
            glyphs = _one(glyphs, rule)
    return glyphs


def _one(glyphs: Sequence[Glyph], rule: Rule) -> Sequence[Glyph]:
    inside = [
        index
        for index, glyph in enumerate(glyphs)
        if glyph.size and rule.left - 1 <= (glyph.left + glyph.right) / 2 <= rule.right + 1
    ]
    upper = [i for i in inside if 0 < glyphs[i].baseline - rule.y < ABOVE * glyphs[i].size]
    lower = [i for i in inside if 0 < rule.y - glyphs[i].baseline < BELOW * glyphs[i].size]
    if not upper or not lower or upper[-1] > lower[0]:
        return glyphs
    first, last = upper[0], lower[-1]
    between = set(range(first, last + 1)) - {*upper, *lower}
    if any(not glyphs[index].char.isspace() for index in between):
        return glyphs
    parts = [[glyphs[index] for index in part] for part in (upper, lower)]
    size = max(glyph.size for part in parts for glyph in part)
    widest = max(max(g.right for g in part) - min(g.left for g in part) for part in parts)
    if abs(rule.right - rule.left - widest) > SLACK * size:
        return glyphs
    before, after = list(glyphs[:first]), list(glyphs[last + 1 :])
    upper_base, lower_base = (_baseline(part) for part in parts)
    if _goes_on(before[::-1], upper_base, size) or _goes_on(after, lower_base, size):
        return glyphs
    while before and before[-1].char == "\n" and _is_beside(before[::-1], rule):
        before.pop()
    while after and after[0].char == "\n" and _is_beside(after, rule):
        after.pop(0)
    line = rule.y - AXIS * size
    place = Glyph("/", rule.left, line - size / 4, rule.right, line + size, line, size=size)
    space = Glyph(" ")
    top = _moved(parts[0], line - upper_base, place._replace(right=rule.left))
    bottom = _moved(parts[1], line - lower_base, place._replace(left=rule.right))
    return [*before, space, *top, place, *bottom, space, *after]


def _baseline(part: Sequence[Glyph]) -> float:
    size = max(glyph.size for glyph in part)
    own = Counter(round(g.baseline, 1) for g in part if g.size > SMALL * size)
    return own.most_common(1)[0][0]


def _moved(part: Sequence[Glyph], up: float, place: Glyph) -> list[Glyph]:
    """Return one part on its line, in brackets unless it is one word."""
    moved = [g._replace(bottom=place.bottom, top=place.top, baseline=g.baseline + up) for g in part]
    if "".join(glyph.char for glyph in part).isalnum():
        return moved
    return [place._replace(char="("), *moved, place._replace(char=")")]


def _goes_on(glyphs: Sequence[Glyph], baseline: float, size: float) -> bool:
    """Say whether the next drawn glyph stands in the line of a part, which then is no part."""
    near = next((glyph for glyph in glyphs if not glyph.char.isspace()), None)
    return near is not None and abs(near.baseline - baseline) < size / 10


def _is_beside(glyphs: Sequence[Glyph], rule: Rule) -> bool:
    """Say whether the next drawn glyph stands in the line of the bar."""
    near = next((glyph for glyph in glyphs if not glyph.char.isspace()), None)
    return near is not None and near.bottom < rule.y < near.top
