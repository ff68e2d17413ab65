"""Display names tell documents apart with as little of their path as is needed."""

from research_agent.text.paths import display_names, is_below


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


def test_only_what_is_inside_is_below() -> None:
    assert is_below("/docs/a/b.md", ["/x", "/docs/"])
    assert is_below("/docs/a.md", ["/docs/a.md"])
    assert is_below("/docs/a.md", ["/"])
    assert not is_below("/docs2/a.md", ["/docs"])
