"""The page of `research-agent web` in real Chromium, over a server in this process."""

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from research_agent.config import configured
from research_agent.interfaces.listening import listening
from tests.documents.small_pdf import small_pdf
from tests.interfaces.commands import GUIDE, Model, made_index, served
from tests.interfaces.reporting import LINES
from tests.needed import missing, needed_package

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

TOKEN = "a-token-for-the-tests"  # noqa: S105 (of a server that ends with the test)
KEY = "How many bytes has the encapsulation key of ML-KEM-768?"
KEY_ANSWER = "ML-KEM-768 has an encapsulation key of 1184 bytes [c1]. It has 77 legs [c1]."
HOSTILE = "<img src=x onerror=alert(1)>.md"


@dataclass
class Web:
    """A served page, its model, and what its browsers asked for and complained of."""

    address: str
    model: Model
    browser: "Browser"
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    @contextmanager
    def page(self, session: str = "", **options: Any) -> Iterator["Page"]:  # noqa: ANN401 (Playwright's)
        """Open the page in a browser of its own, in a session."""
        context = self.browser.new_context(**options)
        try:
            page = context.new_page()
            page.set_default_timeout(25_000)
            page.on("request", lambda request: self.requests.append(request.url))
            page.on("pageerror", lambda error: self.complaints.append(str(error)))
            page.on("console", lambda message: self.complaints.append(message.text))
            page.goto(f"{self.address}/#token={TOKEN}")
            if session:
                page.wait_for_selector("#talk > *")
                page.get_by_label("Name of a new session").fill(session)
                page.get_by_role("button", name="Begin").click()
                page.wait_for_selector(f"#where:text-matches('^{session},')")
            yield page
        finally:
            context.close()

    @property
    def outside(self) -> list[str]:
        """What was asked of anybody else."""
        inside = (self.address, "data:", f"blob:{self.address}")
        return [url for url in self.requests if not url.startswith(inside)]


def ask(page: "Page", question: str, *, answers: int = 1) -> str:
    """Ask, and return the last answer as it is shown, when there are this many."""
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    page.wait_for_selector(f":nth-match(article.turn, {answers})")
    return page.locator(".answer").last.inner_text()


@contextmanager
def serving(settings_file: str, index: str) -> Iterator[str]:
    """Serve the page over an index; gives its address."""
    needed_package("starlette", "web")
    from research_agent.interfaces.web.serving import build_server
    from research_agent.interfaces.web.workspace import Workspace

    settings = configured(settings_file, os.environ).settings
    with listening(0, option="--port") as door, Workspace(settings, index) as workspace:
        port = door.getsockname()[1]
        server = build_server(workspace, token=TOKEN, port=port)
        thread = Thread(target=server.run, kwargs={"sockets": [door]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def chromium() -> Iterator["Browser"]:
    """Start the system's browser."""
    needed_package("playwright", "dev")
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        missing("chromium is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """The page over a PDF, a guide and a document with a hostile name and text."""
    folder = tmp_path_factory.mktemp("web")
    with ExitStack() as stack:
        patched = stack.enter_context(pytest.MonkeyPatch.context())
        for name in ("CONFIG", "CACHE"):
            patched.setenv(f"XDG_{name}_HOME", str(folder / name))
        (folder / "docs").mkdir()
        (folder / "docs" / "keys.pdf").write_bytes(small_pdf([LINES]))
        hostile = "# Ducks\n\nThe duck <script>document.title='xx'</script> has 2 wings.\n"
        made_index(folder, {"guide.md": GUIDE, HOSTILE: hostile})
        patched.setenv("RESEARCH_AGENT_HOME", str(folder / "home"))
        model = Model(answer=KEY_ANSWER)
        config = stack.enter_context(served(model, folder))
        address = stack.enter_context(serving(config, "default"))
        browser = stack.enter_context(chromium())
        yield Web(address, model, browser)
