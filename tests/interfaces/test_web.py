"""The page in the browser: what a person does with it, in real Chromium, and who is kept out."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import httpx
import pytest
from PIL import Image

from research_agent.conversation.adapters.sessions import sqlite_table
from tests.interfaces.commands import ANSWER, BAKED, Model, run, served
from tests.interfaces.reporting import QUOTE, html_of, over_pdf, watched
from tests.interfaces.web_page import HOSTILE, KEY, KEY_ANSWER, TOKEN, Web, ask, serving, web

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["web"]
SCRIPT = "<script>document.documentElement.lang='xx'</script><img src=x onerror=alert(1)>"
WIDTH = "document.documentElement.scrollWidth"
BEARER = {"authorization": f"Bearer {TOKEN}"}


@pytest.fixture(autouse=True)
def _model_says(web: Web) -> Iterator[None]:
    """Each test begins with the same model, and ends without a request that left the machine."""
    web.model.answer, web.model.plan, web.model.takes = KEY_ANSWER, Model.plan, 0.0
    web.complaints.clear()
    yield
    assert [] == web.outside


@pytest.fixture(scope="module")
def keys(web: Web) -> Iterator["Page"]:
    """A page whose question was answered while its steps were seen; the tests may open parts."""
    web.model.answer, web.model.takes = KEY_ANSWER, 0.5
    web.complaints.clear()
    with web.page("keys") as page:
        page.get_by_label("Your question").fill(KEY)
        page.get_by_role("button", name="Ask", exact=True).click()
        page.wait_for_selector(".steps li")
        page.wait_for_selector("article.turn")
        assert [] == web.complaints
        yield page


def test_an_answer_has_its_marks_path_and_cost(web: Web, keys: "Page") -> None:
    keys.locator(".details summary").click()
    keys.wait_for_selector(".path li")
    nodes = keys.locator(".path").first.locator("li").all_inner_texts()
    details = keys.locator(".details").inner_text()

    assert KEY == keys.locator(".asked").inner_text()
    assert ["It has 77 legs unconfirmed."] == keys.locator(".doubt").all_inner_texts()
    assert ["retrieve", "assess", "refine"] == nodes[:3]
    assert "answered" in details
    assert "model calls" in details
    assert [] == web.complaints


def test_a_citation_opens_its_page_beside_the_answer_by_keyboard_alone(keys: "Page") -> None:
    key = keys.locator(".answer .key").first
    key.focus()
    keys.keyboard.press("Enter")
    keys.wait_for_selector("#side[open] svg.page .quoted")
    answer, side = keys.locator(".answer").bounding_box(), keys.locator("#side").bounding_box()
    picture = keys.get_by_role("img", name="keys, PDF page 1")

    assert "Source 1: keys, PDF page 1" == key.get_attribute("aria-label")
    assert QUOTE in str(picture.text_content())
    assert answer
    assert side
    assert side["x"] >= answer["x"] + answer["width"]
    assert keys.evaluate("document.activeElement.id") == "side-title"
    keys.keyboard.press("Escape")
    keys.wait_for_selector("#side[open]", state="detached")
    assert key.evaluate("node => node === document.activeElement")


def test_saved_as_report_and_as_markdown(keys: "Page", tmp_path: Path) -> None:
    with keys.expect_download() as report:
        keys.get_by_role("button", name="Save as report").click()
    with keys.expect_download() as notes:
        keys.get_by_role("button", name="Save this session as Markdown").click()
    report.value.save_as(tmp_path / "answer.html")
    notes.value.save_as(tmp_path / "notes.md")

    assert "answer-1.html" == report.value.suggested_filename
    assert 'content="research-agent report"' in (tmp_path / "answer.html").read_text("utf-8")
    assert "keys.md" == notes.value.suggested_filename
    assert "# keys\n" in (tmp_path / "notes.md").read_text("utf-8")


@pytest.mark.usefixtures("keys")
def test_a_phone_and_the_dark(web: Web) -> None:
    with web.page("keys", color_scheme="dark", has_touch=True) as page:
        page.set_viewport_size({"width": 360, "height": 740})
        page.wait_for_selector("article.turn")
        widths = [page.evaluate(WIDTH)]
        page.locator(".answer .key").first.tap()
        page.wait_for_selector("#side[open] .quoted")
        widths.append(page.evaluate(WIDTH))
        page.get_by_role("button", name="Close").tap()
        page.get_by_role("button", name="Menu").tap()
        page.get_by_role("combobox", name="Preset").wait_for()
        widths.append(page.evaluate(WIDTH))
        colour = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")

        assert [360, 360, 360] == widths
        assert "rgb(20, 23, 27)" == colour


def test_a_follow_up_within_a_scope_and_text_without_pages(web: Web) -> None:
    with web.page("scoped") as page:
        page.get_by_role("checkbox", name="guide").check()
        web.model.answer = ANSWER
        answer = ask(page, BAKED)
        page.locator(".answer .key").first.click()
        page.wait_for_selector("#side[open] mark")
        web.model.plan = json.dumps({"about": [], "question": KEY})
        ask(page, "And how long is the key of ML-KEM-768?", answers=2)

        assert "Bread is baked at 230 degrees 1." == answer
        assert "Bread is baked at 230 degrees." == page.locator("#side mark").inner_text()
        assert page.locator("article.turn p").nth(1).inner_text().startswith("asked: ")
        assert QUOTE not in str(web.model.asked[-1])
        assert "1 of 3 documents" == page.locator("#scope-note").inner_text()
        page.reload()
        page.wait_for_selector(":nth-match(article.turn, 2)")
        assert page.get_by_role("checkbox", name="guide").is_checked()
        page.get_by_role("button", name="Read all documents").click()
        assert "all 3 documents" == page.locator("#scope-note").inner_text()


def test_stopped_limited_and_asked_again(web: Web) -> None:
    """The first hits are there before the model says anything.

    Limits are kept at once, before a question too, and not while one is answered.
    """
    with web.page("limits") as page:
        limits = f"{web.address}/api/talk/limits/scope"
        with page.expect_response(limits):
            page.get_by_role("checkbox", name="guide").check()
        page.reload()
        page.wait_for_selector("#where:text-matches('^limits')")
        page.wait_for_selector("#scope-note:text-is('1 of 3 documents')")
        web.model.takes = 5.0
        page.get_by_label("Your question").fill(BAKED)
        begun = time.monotonic()
        page.keyboard.press("Enter")
        page.wait_for_selector(".steps li:has-text('found: guide, section Bread')")
        assert time.monotonic() - begun < web.model.takes
        told = httpx.post(limits, headers=BEARER, json={"scope": {}})
        page.get_by_role("button", name="Stop", exact=True).click()
        page.wait_for_selector("#pending:has-text('Stopped.')")
        with page.expect_response(limits):
            page.get_by_role("button", name="Read all documents").click()
        page.wait_for_selector("#pending:has-text('This question has no answer yet.')")
        web.model.takes = 0.0
        page.reload()
        page.get_by_role("button", name="Ask again").click()
        page.wait_for_selector("article.turn")

        assert 0 == page.locator("#pending").count()
        assert (409, True) == (told.status_code, "being answered" in told.json()["error"])
        assert "all 3 documents" == page.locator("#scope-note").inner_text()
        assert [] == [one for one in web.complaints if "409" not in one]


def test_hostile_names_and_texts_are_shown_as_text(web: Web) -> None:
    web.model.answer = "The duck <script>document.title='xx'</script> has 2 wings [c1]."
    with web.page("hostile") as page:
        answer = ask(page, "How many wings has the duck? <img src=x onerror=alert(2)>")
        page.locator(".answer .key").first.click()
        page.wait_for_selector("#side[open]")

        assert answer.startswith("The duck &lt;script>document.title='xx'&lt;/script> has 2 wings")
        assert HOSTILE.removesuffix(".md") in page.locator("#side").inner_text()
        assert page.get_by_role("checkbox", name=HOSTILE.removesuffix(".md")).is_visible()
        assert "Research agent" == page.title()
        assert 0 == page.locator("img").count()
        assert [] == web.complaints


def test_two_browsers_in_one_session_see_the_same_and_the_second_waits(web: Web) -> None:
    web.model.takes = 0.7
    with web.page("shared") as first, web.page() as second:
        second.get_by_role("button", name="shared (0)").click()
        second.wait_for_selector("#where:text-matches('^shared')")
        first.get_by_label("Your question").fill(KEY)
        first.keyboard.press("Enter")
        second.wait_for_selector("#pending .steps li")
        told = httpx.post(
            f"{web.address}/api/talk/shared/ask",
            headers=BEARER,
            json={"text": "And for the other one?"},
        )
        second.wait_for_selector("article.turn")

        assert 409 == told.status_code
        assert "a question is being answered in this session" in told.json()["error"]
        assert first.locator(".answer").inner_text() == second.locator(".answer").inner_text()


def test_documents_come_in_where_there_is_no_index(web: Web, tmp_path: Path) -> None:
    """A wrong folder is told, a file of a wrong name too; then an upload is indexed and asked."""
    model = Model()
    (tmp_path / "bread.md").write_text("Bread is baked at 230 degrees.\n", encoding="utf-8")
    with served(model, tmp_path) as config, serving(config, "fresh") as address:
        fresh = Web(address, model, web.browser)
        with fresh.page() as page:
            page.get_by_label("A file or folder of this machine").fill(str(tmp_path / "none"))
            page.get_by_role("button", name="Index").click()
            page.wait_for_selector("#job:has-text('none')")
            page.get_by_label("Files, which are copied").set_input_files(tmp_path / "bread.md")
            page.wait_for_selector("#where:has-text('1 documents')")
            page.wait_for_selector("#job:has-text('1 indexed')")
            page.wait_for_selector(".empty:has-text('Ask a question')")
            answer = ask(page, BAKED)
        assert "Bread is baked at 230 degrees 1." == answer
        assert [] == fresh.outside
        path = f"{address}/api/files/..%5Cevil.md"
        told = httpx.put(path, headers=BEARER, content=b"x")
        assert (400, True) == (told.status_code, "no name" in told.json()["error"])


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (BEARER, 200),
        ({}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"cookie": f"token={TOKEN}"}, 401),
        ({**BEARER, "host": "evil.example"}, 403),
        ({**BEARER, "origin": "http://evil.example"}, 403),
        ({**BEARER, "origin": "null"}, 403),
        ({**BEARER, "sec-fetch-site": "same-site"}, 403),
    ],
)
def test_who_is_let_in(web: Web, headers: dict[str, str], status: int) -> None:
    reply = httpx.get(f"{web.address}/api/state", headers=headers)
    assert status == reply.status_code
    assert "default-src 'none'" in reply.headers["content-security-policy"]
    assert (status == 200) == ("guide" in reply.text)


def test_a_page_of_another_site_gets_nothing(web: Web, tmp_path: Path) -> None:
    """Not even with the token: it may neither read, nor ask, nor show the page in a frame."""
    asked, ours = len(web.model.asked), tuple(web.requests)
    bearer = f"{{headers: {{authorization: 'Bearer {TOKEN}'}}}}"
    script = f"""<iframe src="{web.address}/"></iframe><script>
    const tries = [
      fetch('{web.address}/api/state', {bearer}),
      fetch('{web.address}/api/state'),
      fetch('{web.address}/api/talk/default/ask',
        {{method: 'POST', mode: 'no-cors', body: '{{"text": "{KEY}"}}'}}),
    ];
    Promise.allSettled(tries).then(ended =>
      document.title = ended.map(one => one.value?.type ?? 'refused').join(' '));
    </script>"""
    (tmp_path / "index.html").write_text(script, encoding="utf-8")
    handler = partial(SimpleHTTPRequestHandler, directory=str(tmp_path))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as other, web.page() as page:
        Thread(target=other.serve_forever).start()
        page.goto(f"http://127.0.0.1:{other.server_port}/")
        page.wait_for_function("document.title")
        other.shutdown()
        assert "refused refused refused" == page.title()
        assert "refused to connect" in page.frames[1].locator("body").inner_text()
        assert asked == len(web.model.asked)
        web.requests[:] = ours  # (the other site's own are left out)


def test_what_goes_wrong_is_told(web: Web) -> None:
    """A session that a terminal has open, and the token of an older server."""
    folder = Path(os.environ["RESEARCH_AGENT_HOME"]) / "sessions"
    with ExitStack() as stack:
        table = stack.enter_context(sqlite_table(folder))
        stack.enter_context(table.held(table.begin("taken", "default")))
        page = stack.enter_context(web.page())
        page.get_by_role("button", name="taken (0)").click()
        page.wait_for_selector("#problem:has-text('taken')")
        page.goto(f"{web.address}/#token=an-older-token")
        page.reload()
        page.wait_for_selector("#problem:has-text('the token is missing or wrong')")


def test_a_report_runs_and_loads_nothing(web: Web, tmp_path: Path) -> None:
    """The words are marked in yellow on a white page, and the policy has nothing to complain of."""
    result, chunks = over_pdf(tmp_path, question=f"How long? {SCRIPT}")
    html_of(tmp_path, result, chunks, watched())
    with web.page() as page:
        web.complaints.clear()
        page.goto((tmp_path / "answer.html").as_uri())
        picture = page.locator("svg.page").screenshot()
        language = page.locator("html").get_attribute("lang")
    raw = Image.open(BytesIO(picture)).convert("RGB").tobytes()
    colours = set(zip(raw[::3], raw[1::3], raw[2::3], strict=True))

    assert "en" == language
    assert [] == web.complaints
    assert any(r > 240 and 200 < g < 250 and 120 < b < 190 for r, g, b in colours)
    web.requests[:] = [url for url in web.requests if not url.startswith("file:")]


def test_the_command_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("research_agent.interfaces.cli.process.find_spec", lambda _: None)
    told = run("web")
    assert (2, True) == (told.exit_code, 'pip install "research-agent[web]"' in told.stderr)
