"""The fitted weights of grounding: a small JSON file that checks itself."""

import json
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from pathlib import Path

from research_agent.errors import ModelMissingError
from research_agent.types.claims import GroundingModel
from research_agent.verification.grounding import FEATURES

PATH = Path(__file__).parents[2] / "data" / "grounding.json"
_HINT = "Install research_agent anew, or fit it: python -m benchmarks grounding --fit"


@cache
def read_grounding(path: Path = PATH, *, cross_encoder: str = "") -> GroundingModel:
    """Return the fitted model; raises ModelMissingError for a file that is damaged or another's.

    With `cross_encoder`, the digest of the weights in use, it must have been fitted on these.
    """
    from pydantic import TypeAdapter

    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        digest, fitted = content.pop("digest"), content.pop("features")
        if digest != _digest({"features": fitted, **content}):
            raise ValueError("its digest is another")  # noqa: TRY301 (told like the others)
        if tuple(fitted) != FEATURES:
            raise ValueError("it was fitted on other features")  # noqa: TRY301
        model = TypeAdapter(GroundingModel).validate_python(content, extra="forbid")
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        raise ModelMissingError(
            f"The weights of grounding, {path}, cannot be used: {error}.", hint=_HINT
        ) from error
    if cross_encoder and cross_encoder != model.cross_encoder:
        raise ModelMissingError(
            f"The weights of grounding, {path}, were fitted on another cross-encoder.", hint=_HINT
        )
    return model


def write_grounding(model: GroundingModel, path: Path = PATH) -> None:
    """Write a fitted model with its digest."""
    content = {"features": list(FEATURES), **asdict(model)}
    text = json.dumps({**content, "digest": _digest(content)}, indent=1)
    path.write_text(f"{text}\n", encoding="utf-8")


def _digest(content: dict[str, object]) -> str:
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
