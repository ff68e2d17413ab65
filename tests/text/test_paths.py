"""Display names tell documents apart with as little of their path as is needed."""

from research_agent.text.paths import added_id, display_names, is_below


def test_names_are_told_apart_by_their_folders() -> None:
    paths = ["/x/a/g.md", "/y/a/g.md", "/y/b/g.md", "/y/other.txt"]
    assert ["x/a/g", "y/a/g", "b/g", "other"] == list(display_names(paths).values())


def test_names_keep_an_ending_where_nothing_else_differs() -> None:
    assert ["g.md", "g.pdf", "g"] == list(
        display_names(["/d/g.md", "/d/g.pdf", "/c/g.md"]).values()
    )


def test_names_without_an_ending_stay() -> None:
    names = display_names(["/.env", "/README", "/x.", "C:\\docs\\a.b.pdf"])
    assert [".env", "README", "x.", "a.b"] == list(names.values())
    assert {} == display_names([])


def test_added_texts_are_named_by_their_ids() -> None:
    """An id is no path: it has no ending and no folders."""
    paths = ["added:/https:%2F%2Fx.org%2Fa/", "added:/a_b.1/", "added:/1/notes.md", "/a_b.md"]
    names = ["https://x.org/a", "a_b.1", "notes", "a_b"]
    assert names == list(display_names(paths).values())
    pages = ["added:/p1//d/report.pdf", "added:/p2//d/report.pdf", "/d/old/report.pdf"]
    assert ["d/report", "d/report", "old/report"] == list(display_names(pages).values())
    assert ["https://x.org/a", "a_b.1", "1", ""] == list(map(added_id, paths))
    assert len({*display_names(["added:/%2Fx%2Fy/", "/x/y.md"]).values()} - {""}) == 2


def test_only_what_is_inside_is_below() -> None:
    assert is_below("/docs/a/b.md", ["/x", "/docs/"])
    assert is_below("/docs/a.md", ["/docs/a.md"])
    assert is_below("/docs/a.md", ["/"])
    assert not is_below("/docs2/a.md", ["/docs"])
