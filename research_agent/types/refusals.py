"""The one text of a refusal, and its reasons."""

from typing import Literal

REFUSAL = "not found in provided docs"
Refused = Literal[
    "",
    "no_evidence",
    "insufficient_evidence",
    "unsupported_draft",
    "wrong_scope",
    "model_failed",
    "budget",
]
"""Why nothing was answered (docs/answers.md); empty where something was. "unsupported_draft": the
evidence contradicts every sentence of the draft, or `answer.unconfirmed` lets it not be shown.
"wrong_scope" is in results of earlier versions."""
