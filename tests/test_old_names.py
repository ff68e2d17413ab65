"""Variables of the systems that this project unites are read, and today's names are told."""

from pathlib import Path

import pytest

from research_agent.config import configured
from research_agent.errors import ConfigError, IndexMissingError
from research_agent.interfaces.agent import ResearchAgent
from research_agent.old_names import old_values, old_variables
from research_agent.setting_fields import lines
from research_agent.settings import Settings
from tests.interfaces.commands import run


def test_every_old_name_is_a_key_of_today() -> None:
    """And has a value for each of its words."""
    known = dict(lines(Settings()))
    for name, told in old_variables().items():
        text = "1" if isinstance(told, str) or "on" in str(told) else next(iter(*told.values()))
        assert old_values({name: text}).keys() <= known.keys()


def test_old_names_are_values_of_todays_keys_over_the_preset() -> None:
    """Numbers, switches, other units, and a weight that was that of the other channel."""
    given = {
        "RESEARCH_AGENT_PRESET": "seed",
        "RQ_SIMILARITY_BLOCK_THRESHOLD": "0.7",
        "SIMILARITY_TOP_K": "8",
        "DRAGIN_THRESHOLD": "0.4",
        "TMD_ALPHA": "0.3",
        "TMD_NORM": "zscore",
        "CHUNK_FILTERING_ENABLED": "false",
    }
    expected = {
        "refinement.min_similarity": 0.7,
        "confidence.top_k": 8,
        "verify.seed_threshold": 0.4,
        "blend.alpha": 0.7,
        "blend.scale": "z-score",
        "filter.mode": "off",
    }
    assert expected.items() <= dict(lines(configured(None, given).settings)).items()


def test_todays_name_wins_and_both_are_told(tmp_path: Path) -> None:
    """In a file or in the environment."""
    (tmp_path / "c.yaml").write_text("filter: {oversample: 2.0}", encoding="utf-8")
    given = {
        "CHUNK_FILTERING_OVERSAMPLE_MULTIPLIER": "1.2",
        "TMD_ALPHA": "0.2",
        "RESEARCH_AGENT_BLEND__ALPHA": "0.5",
        "SIMILARITY_TOP_K": "7",
    }
    found = configured(str(tmp_path / "c.yaml"), given)

    expected = {"filter.oversample": 2.0, "blend.alpha": 0.5, "confidence.top_k": 7}
    assert expected.items() <= dict(lines(found.settings)).items()
    assert {
        "CHUNK_FILTERING_OVERSAMPLE_MULTIPLIER is not used: filter.oversample is set",
        "TMD_ALPHA is not used: blend.alpha is set",
        "SIMILARITY_TOP_K is an old name, read as confidence.top_k: 7",
    } == set(found.notes)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"TMD_ALPHA": "much"}, "TMD_ALPHA must be a number, got 'much'"),
        ({"TMD_NORM": "rank"}, "TMD_NORM must be one of softmax, zscore, minmax"),
        ({"DRAGIN_THRESHOLD": "7"}, "verify.seed_threshold must be 0 to 1"),
        ({"SIMILARITY_TOP_K": "2.5"}, "confidence.top_k"),
        (
            {"CONTEXT_MAX_DOCS": "5", "ASK_MAX_CONTEXT_CHUNKS": "6"},
            "CONTEXT_MAX_DOCS and ASK_MAX_CONTEXT_CHUNKS set evidence.max_chunks differently",
        ),
    ],
)
def test_wrong_values_name_the_variable_or_its_key(given: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        configured(None, given)

    assert message in str(caught.value)


def test_commands_and_python_tell_of_old_names(
    data_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIMILARITY_TOP_K", "7")
    told = "SIMILARITY_TOP_K is an old name, read as confidence.top_k: 7"
    assert data_home.name
    assert told in run("search", "bread").stderr
    with pytest.warns(UserWarning, match=told), pytest.raises(IndexMissingError):
        ResearchAgent.open()
