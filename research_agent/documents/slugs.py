"""Anchors of Markdown headings, as GitHub and most other programs make them."""

from collections import Counter


class Slugs:
    """The anchors of one document: those of headings with the same words are numbered.

    >>> slugs = Slugs()
    >>> slugs.anchor("What's new?"), slugs.anchor("Whats new"), slugs.anchor("ML-KEM & co_1")
    ('#whats-new', '#whats-new-1', '#ml-kem--co_1')
    """

    def __init__(self) -> None:
        """Begin a document."""
        self._seen: Counter[str] = Counter()

    def anchor(self, heading: str) -> str:
        """Return the anchor of the next heading."""
        slug = heading_slug(heading)
        name = slug
        while name in self._seen:
            name = f"{slug}-{self._seen[slug]}"
            self._seen[slug] += 1
        self._seen[name] += 1
        return f"#{name}"


def heading_slug(heading: str) -> str:
    """Return a heading in small letters, without punctuation, each space a hyphen.

    >>> heading_slug("2.1 Sch\u00f6ne Keys")
    '21-sch\u00f6ne-keys'
    """
    kept = (char for char in heading.strip().lower() if char.isalnum() or char in " -_")
    return "".join("-" if char == " " else char for char in kept)
