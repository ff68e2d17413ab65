"""Presets: what they set, who wins over them, and how another one is chosen for a question."""

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from graphs.research import recursion_limit
from graphs.research_tool import ResearchInputs
from research_agent.config import changed_settings, configured, unknown_keys
from research_agent.errors import ConfigError
from research_agent.interfaces.agent import ResearchAgent
from research_agent.presets import described, preset_text, preset_values, with_preset
from research_agent.setting_fields import lines
from research_agent.settings import BudgetSettings, FilterSettings, Settings
from research_agent.types.limits import Limits
from tests.fakes import GOOD, KEEP, PROMPTS, QUESTION, WRONG, YES, ScriptedChat, ports, says
from tests.test_config import load

SERVER = {"RESEARCH_AGENT_MODELS__CHAT__PROVIDER": "openai"}


def test_full_and_local_can_be_read_side_by_side() -> None:
    """They set the same keys, in the same order; each has a line that says when it is used."""
    assert list(preset_values("full")) == list(preset_values("local"))
    assert all(preset_text(name).startswith(f'# preset "{name}"') for name in ("local", "full"))


@pytest.mark.parametrize("name", ["local", "full", "seed"])
def test_every_value_of_a_preset_is_a_valid_setting(name: str) -> None:
    given = [f"{key}={value}" for key, value in preset_values(name).items()]

    assert dict(lines(changed_settings({}, given))).items() >= preset_values(name).items()


def test_auto_goes_by_the_provider_of_the_chat_model() -> None:
    """A server gets every stage, the embedded model what it carries, a bare Settings() neither."""
    local, full = configured(None, {}).settings, configured(None, SERVER).settings

    assert ("planned", "score", 2) == (local.search.mode, local.filter.mode, local.budget.rounds)
    assert ("tool_calling", "llm", 3) == (full.search.mode, full.filter.mode, full.budget.rounds)
    told = ["preset local (auto: embedded model)", "preset full (auto: openai)", ""]
    assert told == [described(one) for one in (local, full, Settings())]
    assert 1 == Settings().budget.rounds


def test_own_keys_win_in_a_file_and_in_the_environment(tmp_path: Path) -> None:
    """Also a key that says what the default says, which the preset would change, and a preset."""
    settings = load(
        tmp_path, "preset: full\nfilter: {mode: score}", RESEARCH_AGENT_BUDGET__ROUNDS="1"
    )

    assert ("score", 1) == (settings.filter.mode, settings.budget.rounds)
    assert "tool_calling" == settings.search.mode
    assert "preset full" == described(settings)
    assert "seed" == load(tmp_path, "preset: full", RESEARCH_AGENT_PRESET="seed").laid.name


@pytest.mark.parametrize("environment", [{"RESEARCH_AGENT_PRESET": "big"}, {}])
def test_unknown_preset_is_told_with_the_names_there_are(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """In a file, in the environment, and at run time."""
    with pytest.raises(ConfigError, match="there is no preset 'big'") as caught:
        load(tmp_path, "preset: big", **environment)
    assert "auto, local, full, seed" in caught.value.hint
    with pytest.raises(ConfigError, match="there is no preset"):
        with_preset(Settings(), "big")


def test_another_preset_for_one_question_leaves_own_keys_alone(tmp_path: Path) -> None:
    """And takes back what the first one had set."""
    settings = load(tmp_path, "preset: seed\nverify: {samples: 2}\nevidence: {max_chars: 9000}")
    local = with_preset(settings, "local")

    assert (2, 9000) == (local.verify.samples, local.evidence.max_chars)
    expected = {"search.mode": "planned", "retrieval.rrf_k": 5, "verify.profile": "entropy"}
    assert expected.items() <= dict(lines(local)).items()
    assert settings == with_preset(local, "seed")


def test_settings_made_by_hand_keep_what_differs_from_the_defaults() -> None:
    """They know no preset; what they changed was wanted."""
    made = replace(Settings(), budget=BudgetSettings(llm_calls=7))

    full = with_preset(made, "full")

    assert (7, 3) == (full.budget.llm_calls, full.budget.rounds)


def test_prompts_of_a_preset_fit_into_the_embedded_models_context(tmp_path: Path) -> None:
    """Evidence of all rounds, and the hits that are filtered; but a user's own number stays."""
    full = with_preset(Settings(), "full")
    own = load(tmp_path, "preset: full\nevidence: {max_tokens: 7000}")

    context = full.models.local.context
    assert full.evidence.max_tokens * full.budget.rounds + full.answer.max_tokens < context
    assert full.filter.max_prompt_tokens < context
    assert 7000 == own.evidence.max_tokens
    assert 8000 == configured(None, SERVER).settings.evidence.max_tokens


def test_a_recorded_run_can_be_given_another_preset() -> None:
    """Own keys stay own, and changes that are named win; nothing of a trace is unknown."""
    recorded = asdict(configured(None, {"RESEARCH_AGENT_BUDGET__ROUNDS": "1"}).settings)

    assert () == unknown_keys(recorded)
    changed = changed_settings(recorded, ["preset=full", "filter.mode=off"])
    expected = {"budget.rounds": 1, "filter.mode": "off", "search.mode": "tool_calling"}
    assert expected.items() <= dict(lines(changed)).items()


def test_a_caller_chooses_a_preset_for_one_question() -> None:
    """Its stages act for that question alone, and the user's own keys stay."""
    own = replace(Settings(), filter=FilterSettings(mode="off"))
    planner, filterer = ScriptedChat(KEEP), ScriptedChat(YES)
    given = ports(ScriptedChat(says(GOOD)), planner, filterer=filterer)
    with ResearchAgent(given, own, PROMPTS) as agent:
        full = agent.ask(QUESTION, limits=Limits(preset="full"))
        written = [bool(tools) for _, _, tools in planner.asked]
        plain = agent.ask(QUESTION)

    assert ("full", "") == (full.preset, plain.preset)
    assert any(written)
    assert len(written) == len(planner.asked)
    assert [] == filterer.asked


@pytest.mark.parametrize(
    ("named", "warned", "mode"), [({}, 1, "score"), ({"RESEARCH_AGENT_PRESET": "full"}, 0, "llm")]
)
def test_auto_goes_on_without_what_the_model_cannot_do(
    named: dict[str, str], warned: int, mode: str
) -> None:
    """After two replies that hold no call or verdict; `full` stays where it was named."""
    planner, filterer = ScriptedChat(says("I would search.")), ScriptedChat(says("All are good."))
    given = ports(ScriptedChat(says(WRONG)), planner, filterer=filterer)
    with ResearchAgent(given, configured(None, SERVER | named).settings, PROMPTS) as agent:
        result = agent.ask(QUESTION)

    assert warned == sum("preset local" in warning for warning in result.warnings)
    assert 1 == len(filterer.asked)
    assert ("full", mode) == (result.preset, result.filter_stats.mode)


def test_the_tool_for_other_agents_takes_a_preset() -> None:
    """Its host's choice wins over its caller's."""
    wanted = ResearchInputs(question=QUESTION, preset="full").limits

    assert "full" == Limits().and_at_most(wanted).preset
    assert "local" == Limits(preset="local").and_at_most(wanted).preset


def test_a_graph_has_room_for_the_rounds_of_every_preset() -> None:
    """The recursion limit is fixed when the graph is built; a question may choose later."""
    assert recursion_limit(with_preset(Settings(), "full")) == recursion_limit(Settings())
