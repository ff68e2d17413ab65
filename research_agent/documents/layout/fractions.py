"""Fractions, drawn above and below a bar -> `a/b` on the line that they stand in."""

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from research_agent.documents.layout.pieces import CELL_GAP, SMALL, Glyph, Rule

WIDEST = 200.0  # points; a longer bar is a table's
SLACK = 0.35  # sizes of type by which a bar is longer than what it divides at most
ABOVE, BELOW = 0.7, 1.1  # sizes of type from the bar to the baselines of both parts at most
EVEN = 0.7  # by how much less one baseline is from the bar than the other, in sizes of type
NEAR = 60.0  # points from a rule of a table to the next but one at most
SAME = 4.0  # points by which the ends of a table's rules differ at most
ROWS = 2  # rules beside it that a rule of a table has
AXIS = 0.25  # height of a bar above the baseline, in sizes of type


def with_fractions(glyphs: Sequence[Glyph], rules: Sequence[Rule]) -> Sequence[Glyph]:
    """Return the glyphs, those of each fraction on its line, with a stroke instead of its bar."""
    for rule in sorted(rules, key=lambda rule: rule.right - rule.left):
        if rule.right - rule.left < WIDEST and not _is_of_table(rule, rules):
            level = [other for other in rules if abs(other.y - rule.y) < 1 and other != rule]
            glyphs = _one(glyphs, rule, level)
    return glyphs


def _is_of_table(rule: Rule, rules: Sequence[Rule]) -> bool:
    """Return whether a rule is between rows: others near it begin and end where it does."""
    near = [other for other in rules if other != rule and abs(other.y - rule.y) < NEAR]
    ends = (max(abs(other.left - rule.left), abs(other.right - rule.right)) for other in near)
    return sum(off < SAME for off in ends) >= ROWS


def _one(glyphs: Sequence[Glyph], rule: Rule, others: Sequence[Rule]) -> Sequence[Glyph]:
    inside = [
        index
        for index, glyph in enumerate(glyphs)
        if glyph.size and rule.left - 1 <= (glyph.left + glyph.right) / 2 <= rule.right + 1
    ]
    upper = [i for i in inside if 0 < glyphs[i].baseline - rule.y < ABOVE * glyphs[i].size]
    lower = [i for i in inside if 0 < rule.y - glyphs[i].baseline < BELOW * glyphs[i].size]
    if not upper or not lower or not all(_is_one(glyphs, part) for part in (upper, lower)):
        return glyphs
    parts = [[glyphs[index] for index in part] for part in (upper, lower)]
    size = max(glyph.size for part in parts for glyph in part)
    widest = max(max(g.right for g in part) - min(g.left for g in part) for part in parts)
    if abs(rule.right - rule.left - widest) > SLACK * size or any(map(_has_cells, parts)):
        return glyphs
    sides = [(list(glyphs[: part[0]]), list(glyphs[part[-1] + 1 :])) for part in (upper, lower)]
    upper_base, lower_base = (_baseline(part) for part in parts)
    for (before, after), base in zip(sides, (upper_base, lower_base), strict=True):
        if abs(2 * rule.y - upper_base - lower_base) > EVEN * size:
            return glyphs
        if _goes_on(before[::-1], base, others) or _goes_on(after, base, others):
            return glyphs
    before, after = (
        [glyphs[index] for index in side if index not in upper]
        for side in (range(lower[0]), range(lower[-1] + 1, len(glyphs)))
    )
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


def _is_one(glyphs: Sequence[Glyph], part: Sequence[int]) -> bool:
    between = set(range(part[0], part[-1] + 1)).difference(part)
    return all(glyphs[index].char.isspace() for index in between)


def _has_cells(part: Sequence[Glyph]) -> bool:
    """Return whether a part has a gap as between the columns of a table."""
    ordered = sorted(part, key=lambda glyph: glyph.left)
    reaches = accumulate((glyph.right for glyph in ordered), max)
    return any(
        after.left - reach > CELL_GAP * (after.top - after.bottom)
        for reach, after in zip(reaches, ordered[1:], strict=False)
    )


def _baseline(part: Sequence[Glyph]) -> float:
    size = max(glyph.size for glyph in part)
    own = Counter(round(g.baseline, 1) for g in part if g.size > SMALL * size)
    return own.most_common(1)[0][0]


def _moved(part: Sequence[Glyph], up: float, place: Glyph) -> list[Glyph]:
    moved = [g._replace(bottom=place.bottom, top=place.top, baseline=g.baseline + up) for g in part]
    if "".join(glyph.char for glyph in part).isalnum():
        return moved
    return [place._replace(char="("), *moved, place._replace(char=")")]


def _goes_on(glyphs: Sequence[Glyph], base: float, others: Sequence[Rule]) -> bool:
    near = next((glyph for glyph in glyphs if not glyph.char.isspace()), None)
    if near is None or abs(near.baseline - base) > near.size / 10:
        return False
    return not any(bar.left < (near.left + near.right) / 2 < bar.right for bar in others)


def _is_beside(glyphs: Sequence[Glyph], rule: Rule) -> bool:
    near = next((glyph for glyph in glyphs if not glyph.char.isspace()), None)
    return near is not None and near.bottom < rule.y < near.top
