"""Facts about the thresholds that were fitted to an index."""

from research_agent.assembly.calibration import command, index_header, stale
from research_agent.assembly.diagnosis.facts import CalibrationFacts
from research_agent.errors import IndexingError, PathError
from research_agent.index.adapters.folders import locate
from research_agent.settings import Settings
from research_agent.verification.adapters.calibration_file import read_calibration


def calibration_facts(location: str, settings: Settings) -> CalibrationFacts | None:
    """Return what is kept beside an index; None where nothing is, or where there is no index."""
    cure = command(location)
    try:
        kept = read_calibration(locate(location).calibration)
    except (IndexingError, PathError) as error:
        return CalibrationFacts(problem=str(error), cure=cure)
    if kept is None:
        return None
    try:
        problem = stale(kept, index_header(location), settings)
    except IndexingError:  # (told of the index itself)
        return None
    return CalibrationFacts(
        made=kept.made,
        thresholds=tuple(kept.thresholds.items()),
        answers=tuple(kept.answers.items()),
        problem=problem,
        cure=cure,
    )
