"""A report to look at: one HTML file without scripts, network or links to the outside.

`app.report.writing.write_report` writes one; it is not imported here, so that `ask` without a
report starts as quickly as before.
"""

from research_agent.interfaces.report.recording import Recorder, RunRecord
from research_agent.interfaces.report.target import check_target

__all__ = ["Recorder", "RunRecord", "check_target"]
