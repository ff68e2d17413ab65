"""The report in a browser: pictures are shown, words of others do not run, nothing is loaded."""

import os
import shutil
import subprocess
from io import BytesIO
from pathlib import Path

from PIL import Image

from tests.interfaces.reporting import html_of, over_pdf, watched
from tests.needed import missing

SCRIPT = "<script>document.documentElement.lang='xx'</script><img src=x onerror=alert(1)>"


def browse(page: Path, *options: str) -> tuple[str, str]:
    """Return what a headless browser prints, and its log."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        missing("chromium is not installed")
    profile = page.parent / "profile"
    fixed = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
    done = subprocess.run(
        [
            program,
            *fixed,
            f"--user-data-dir={profile}",
            "--enable-logging=stderr",
            *options,
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
        env={**os.environ, "HOME": str(page.parent)},
    )
    return done.stdout, done.stderr


def test_in_a_browser(tmp_path: Path) -> None:
    """The words are marked in yellow on a white page, and the policy has nothing to complain of."""
    result, chunks = over_pdf(tmp_path, question=f"How long? {SCRIPT}")
    html_of(tmp_path, result, chunks, watched())
    picture = tmp_path / "seen.png"
    dom, log = browse(
        tmp_path / "answer.html",
        "--dump-dom",
        f"--screenshot={picture}",
        "--window-size=900,4000",
    )
    seen = Image.open(BytesIO(picture.read_bytes())).convert("RGB")
    raw = seen.tobytes()
    colours = set(zip(raw[::3], raw[1::3], raw[2::3], strict=True))

    assert '<html lang="en">' in dom
    assert "Content Security Policy" not in log
    assert any(r > 240 and 200 < g < 250 and 120 < b < 190 for r, g, b in colours)
    assert (900, 4000) == seen.size
