"""Where the measured data and the results are."""

import os
from pathlib import Path

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
RECORDINGS = ROOT / "benchmarks" / "recordings"
DATA = Path(os.environ.get("RESEARCH_AGENT_DATA", ROOT.parent / "shared" / "data"))
SCORER = DATA.parent / "tools" / "score_answers.py"
PDFS = DATA / "nist-pqc" / "pdf"
REFUSALS = DATA / "grounding" / "refusals_dev.jsonl"
"""Questions with passages that hold the answer, or do not."""
