"""Settings from a file and the environment, and prompts from their files."""

import re
from pathlib import Path

import pytest

from research_agent.config import configured, load_prompts, packaged
from research_agent.config_text import config_text
from research_agent.errors import ConfigError, PromptError
from research_agent.model_settings import RoleSettings
from research_agent.old_names import gone_keys
from research_agent.prompts import VARIABLES, PromptTemplate
from research_agent.setting_fields import descriptions, lines, number_range, values
from research_agent.settings import Settings


def load(tmp_path: Path, text: str, **environment: str) -> Settings:
    (tmp_path / "c.yaml").write_text(text, encoding="utf-8")
    return configured(str(tmp_path / "c.yaml"), environment).settings


def test_packaged_file_is_the_defaults_and_has_every_key() -> None:
    """It is generated; after a change: python -m research_agent.config_text > config.yaml."""
    text = Path("config.yaml").read_text(encoding="utf-8")

    assert config_text() == text
    assert Settings() == configured("config.yaml", {}).settings
    for key, _ in lines(Settings()):
        assert f"{key.rpartition('.')[2]}:" in text


def test_every_setting_is_described() -> None:
    """And a number has its range; there are no more than a person can look through."""
    settings = Settings()
    assert 80 >= 1 + sum(len(values(section)) for section in values(settings).values())
    for name, section in values(settings).items():
        for owner in [section, *values(section).values()]:
            for key, value in values(owner).items():
                about = descriptions(type(owner)).get(key) or isinstance(value, RoleSettings)
                assert about, (name, key)
                number = isinstance(value, int | float | None) and not isinstance(value, bool)
                assert number == bool(number_range(type(owner), key)), (name, key)


def test_a_key_that_is_gone_says_what_became_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a file and in the environment; what is said is true of today's keys."""
    for told in gone_keys().values():
        now = re.match(r"is now ([a-z_.]+)", told)
        assert told.startswith("is gone") or (now and now[1] in dict(lines(Settings())))
    assert not set(gone_keys()) & {key for key, _ in lines(Settings())}
    gone = {"retrieval.old": "is now retrieval.new"}
    monkeypatch.setattr("research_agent.config.gone_keys", lambda: gone)
    with pytest.raises(ConfigError, match=r"c.yaml: retrieval.old is now retrieval.new"):
        load(tmp_path, "retrieval: {old: 3}")
    with pytest.raises(ConfigError, match=r"environment: retrieval.old is now retrieval.new"):
        load(tmp_path, "", RESEARCH_AGENT_RETRIEVAL__OLD="3")


def test_a_wrong_value_is_told_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file with its folder, since two have the same name; else the variable or --set."""
    own = tmp_path / "home" / "research-agent.yaml"
    own.parent.mkdir()
    own.write_text("retrieval: {top_k: 7}", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    project = tmp_path / "research-agent.yaml"
    project.write_text("documents: {include: '*.md'}", encoding="utf-8")
    home = {"RESEARCH_AGENT_HOME": str(own.parent)}
    with pytest.raises(ConfigError, match=rf"{project}: documents.include: .* valid list"):
        configured(None, home)
    project.write_text("", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"^an option or RESEARCH_AGENT_RETRIEVAL__TOP_K: "):
        configured(None, {**home, "RESEARCH_AGENT_RETRIEVAL__TOP_K": "many"})
    for value, said in (("many", "retrieval.top_k: "), ("0", "retrieval.top_k must be 1 to")):
        own.write_text(f"retrieval: {{top_k: {value}}}", encoding="utf-8")
        with pytest.raises(ConfigError, match=rf"^{own}: {said}"):
            configured(None, home)


def test_every_setting_is_read_somewhere() -> None:
    """A knob that turns nothing is not offered."""
    roots = [Path("research_agent"), Path("graphs")]
    code = "\n".join(
        path.read_text(encoding="utf-8")
        for root in roots
        for path in root.rglob("*.py")
        if "settings" not in path.name
    )
    unread = [key for key, _ in lines(Settings()) if f".{key.rpartition('.')[2]}" not in code]

    assert [] == unread


@pytest.mark.parametrize(
    ("text", "environment", "expected"),
    [
        (  # the environment wins; values are YAML; what neither names keeps its default
            "retrieval: {top_k: 7, rrf_k: 9}",
            {"RETRIEVAL__TOP_K": "40", "MODELS__LOCAL__CONTEXT": "4096", "HOME": "elsewhere"},
            {"retrieval.top_k": 40, "retrieval.rrf_k": 9, "models.local.context": 4096}
            | {"confidence.top_k": 5},
        ),
        (  # `off` is a word
            "refinement: {mode: off}\nmodels: {offline: true}",
            {"FILTER__MODE": "off"},
            {"refinement.mode": "off", "filter.mode": "off", "models.offline": True},
        ),
        (  # older words for switches and for no limit
            "retrieval: {question_kinds: off}\nconfidence: {calibrated: on}\nmodels: {timeout: 0}",
            {},
            {"retrieval.question_kinds": False, "confidence.calibrated": True, "models.timeout": 0},
        ),
        (
            "retrieval: {question_kinds: false}\nmodels: {timeout: null}",
            {},
            {"retrieval.question_kinds": False, "models.timeout": None},
        ),
    ],
)
def test_values_are_read(
    tmp_path: Path, text: str, environment: dict[str, str], expected: dict[str, object]
) -> None:
    named = {f"RESEARCH_AGENT_{name}": value for name, value in environment.items()}
    assert expected.items() <= dict(lines(load(tmp_path, text, **named))).items()


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("retrieval: {topk: 3}", "unknown key retrieval.topk", "retrieval.top_k"),
        ("retreival: {top_k: 3}", "unknown key retreival", "retrieval"),
        ("budget: {rounds: 0}", "budget.rounds must be 1 to 20 rounds, got 0", "budget.rounds"),
        ("blend: {alpha: 2}", "blend.alpha must be 0 to 1, got 2", "blend.alpha"),
        ("rerank: {mode: htpp}", "c.yaml: rerank.mode", "config show"),
        ("budget: {rounds: many}", "c.yaml: budget.rounds", "config show"),
        ("budget: 3", "budget must be a section", "rounds"),
        ("- a", "must hold sections", "config show"),
        ("a: [", "is not YAML", "Mend"),
        ("budget: {rounds: 1}\nbudget: {llm_calls: 9}", "the key budget is there twice", "Mend"),
        ("models: {prices: [{model: m, reed: 1}]}", "models.prices.0.reed", "config show"),
        ("models: {prices: [{model: m, read: -1}]}", "models.prices.read must be 0 to", "read"),
        ("confidence: {top_k: 99}", "must not be larger than retrieval.top_k", "retrieval.top_k"),
        ("budget: {rounds: 4}", "(4) must not be larger than budget.max_rounds (3)", "max_rounds"),
    ],
)
def test_wrong_settings_are_named(tmp_path: Path, text: str, message: str, hint: str) -> None:
    with pytest.raises(ConfigError) as error:
        load(tmp_path, text)

    assert message in str(error.value)
    assert hint in error.value.hint


@pytest.mark.parametrize("text", ["[", "2024-99-99"])
def test_environment_that_is_no_yaml_is_named(text: str) -> None:
    with pytest.raises(ConfigError, match="RESEARCH_AGENT_RETRIEVAL__TOP_K") as error:
        configured(None, {"RESEARCH_AGENT_RETRIEVAL__TOP_K": text})

    assert "quotes" in error.value.hint


def test_unreadable_file_is_an_error_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(ConfigError, match=r"cannot be read: Permission denied") as error:
        load(tmp_path, "")
    assert "config init" in error.value.hint


def test_named_file_has_to_exist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mistyped name is an error; without a name, a file in this folder, else the defaults."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ConfigError, match="no such configuration file") as error:
        configured("my own.yaml", {})
    assert "Make one: research-agent config init 'my own.yaml'" == error.value.hint
    assert () == configured(None, {}).files
    Path("research-agent.yaml").touch()
    assert (tmp_path / "research-agent.yaml",) == configured(None, {}).files


def test_role_fills_its_gaps_from_chat_of_the_same_provider(tmp_path: Path) -> None:
    """An address or a key is never handed to another provider."""
    models = load(
        tmp_path,
        "models: {chat: {provider: openai, model: big, base_url: 'http://127.0.0.1:1/v1'},"
        " planner: {model: small}, verifier: {provider: local}}",
    ).models

    url = "http://127.0.0.1:1/v1"
    assert RoleSettings(provider="openai", model="small", base_url=url) == models.role("planner")
    assert RoleSettings(provider="local") == models.role("verifier")


def test_prompts_declare_their_variables() -> None:
    """Each file has exactly its variables; one too many or too few is refused."""
    assert set(VARIABLES) == {path.stem for path in packaged("prompts").glob("*.md")}
    assert "$" not in load_prompts().answer_user.render(evidence="e", question="q")
    with pytest.raises(PromptError, match="query"):
        PromptTemplate("refine", "$question $query")
