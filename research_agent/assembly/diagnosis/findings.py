"""Facts about a set-up to findings: what is wrong, how badly, and what cures it."""

from collections.abc import Iterable, Iterator
from shlex import quote

from research_agent.assembly.diagnosis.calibration_findings import calibration_findings
from research_agent.assembly.diagnosis.facts import (
    EmbeddingFacts,
    Facts,
    Finding,
    ModelFacts,
    NetworkFacts,
    PlaceFacts,
    Problem,
    ReplyFacts,
    SoftwareFacts,
    WeightFacts,
)
from research_agent.assembly.diagnosis.index_findings import index_findings

PYTHONS = ((3, 11), (3, 13))
"""The oldest and the newest Python that the program is tested with."""
LOW_BYTES, NO_BYTES = 500_000_000, 20_000_000
"""Less free space than this is a warning, and a fault."""
SPARE_BYTES = 64 * 1024 * 1024
"""What joining weights leaves free."""
MB = 1e6


def findings(facts: Facts) -> tuple[Finding, ...]:
    """Return what `facts` mean, in the order in which a reader needs it."""
    return (
        *_software(facts.software),
        *(
            _problem("settings", problem, "research-agent config show")
            for problem in facts.problems
        ),
        *(finding for model in facts.models for finding in _model(model)),
        *_embedding(facts.embedding),
        *(index_findings(facts.index, facts.embedding) if facts.index else ()),
        *(calibration_findings(facts.calibration) if facts.calibration else ()),
        *(finding for weights in facts.weights for finding in _weights(weights)),
        *(_place(place) for place in facts.places),
        *_replies(facts.replies),
        *_network(facts.network),
    )


def is_sound(found: Iterable[Finding]) -> bool:
    """Return whether nothing is at fault.

    >>> is_sound([Finding("warning", "disk", "nearly full", "delete something")])
    True
    """
    return all(finding.level != "fault" for finding in found)


def _problem(part: str, problem: Problem, otherwise: str) -> Finding:
    """Return an error of ours as a fault; its hint is the cure."""
    return Finding("fault", part, problem.what, problem.cure or otherwise)


def _software(facts: SoftwareFacts) -> Iterator[Finding]:
    version = ".".join(map(str, facts.python))
    yield Finding(
        "ok", "versions", f"research-agent {facts.program}, Python {version}, {facts.system}"
    )
    here = ", ".join(f"{name} {number}" for name, number in facts.libraries if number)
    yield Finding("ok", "libraries", here)
    if not PYTHONS[0] <= facts.python[:2] <= PYTHONS[1]:
        oldest, newest = (".".join(map(str, python)) for python in PYTHONS)
        yield Finding(
            "warning",
            "versions",
            f"Python {version} is not one that this program is tested with",
            f"Use Python {oldest} to {newest}: python{newest} -m venv .venv",
        )
    for name in (name for name, number in facts.libraries if not number):
        what = f"the package {name} is not installed"
        yield Finding("note", "libraries", what, f"If you need it: pip install {name}")


def _model(facts: ModelFacts) -> Iterator[Finding]:
    name = f"{', '.join(facts.roles)}: {facts.provider} {facts.model}".rstrip()
    if facts.problem:
        fault = Problem(f"{name}: {facts.problem.what}", facts.problem.cure)
        yield _problem("models", fault, "research-agent models")
        return
    if not facts.asked:
        yield Finding("ok", "models", f"{name}: not asked")
        return
    yield Finding("ok", "models", f"{name}: {_speed(facts)}; {_context(facts)}")
    if facts.alternatives:
        shown = f"of the {facts.alternatives} likeliest tokens at each place"
        yield Finding("ok", "models", f"{name}: gives log-probabilities {shown}")
        return
    yield Finding(
        "note",
        "models",
        f"{name}: gives no log-probabilities ({_why_none(facts.provider)}); uncertainty is not "
        "measured from its words",
    )


def _speed(facts: ModelFacts) -> str:
    """Return how fast a model was, in words."""
    started = f"started in {facts.start_seconds:.1f} s, " if facts.start_seconds else ""
    written = (
        f", {facts.tokens_per_second:.0f} tokens a second"
        if facts.tokens_per_second is not None
        else ""
    )
    return f"{started}answers in {facts.seconds:.1f} s{written}"


def _context(facts: ModelFacts) -> str:
    """Return how much a model reads, in words."""
    if facts.context is None:
        return "context length not told"
    return f"context of {facts.context:,} tokens"


def _why_none(provider: str) -> str:
    """Return why a reply came without log-probabilities."""
    if provider == "bedrock":
        return "Bedrock's Converse has none"
    return "the server sent none, or refused to when it was asked for them"


def _embedding(facts: EmbeddingFacts | None) -> Iterator[Finding]:
    if facts is None:
        return
    if facts.problem:
        fault = Problem(f"embedding: {facts.problem.what}", facts.problem.cure)
        yield _problem("embedding", fault, "research-agent models")
    elif not facts.dimension:
        yield Finding("ok", "embedding", f"{facts.model}: not asked")
    else:
        speed = f"{facts.texts_per_second:.0f} texts a second"
        yield Finding("ok", "embedding", f"{facts.model}: {facts.dimension} numbers, {speed}")


def _weights(facts: WeightFacts) -> Iterator[Finding]:
    if facts.verified or facts.joined:
        how = "joined and verified" if facts.verified else "joined, verified at the next question"
        yield Finding("ok", "weights", f"{facts.title}: {how}, {facts.size / MB:,.0f} MB")
        if facts.verified and facts.installed_bytes:
            copies = f"its installed copies are not needed, {facts.installed_bytes / MB:,.0f} MB"
            cure = "research-agent models prune-parts"
            yield Finding("note", "weights", f"{facts.title}: {copies}", cure)
    elif facts.installed_parts == facts.parts:
        yield _unjoined(facts)
    elif facts.installed_parts:
        what = f"{facts.title}: {facts.installed_parts} of {facts.parts} parts are installed"
        yield Finding("warning", "weights", what, f"{facts.install} --force-reinstall")
    if facts.partial:
        what = f"{facts.title}: a join that was interrupted left a file behind"
        yield Finding("note", "weights", what, f"rm {quote(facts.partial)}")


def _unjoined(facts: WeightFacts) -> Finding:
    """Say whether weights that are installed can be joined."""
    if facts.free < facts.size + SPARE_BYTES:
        return Finding(
            "fault",
            "weights",
            f"{facts.title}: needs {facts.size / MB:,.0f} MB to be joined, and "
            f"{facts.free / MB:,.0f} MB are free",
            "Free some space, or set RESEARCH_AGENT_CACHE to a folder on another disk.",
        )
    return Finding("ok", "weights", f"{facts.title}: installed, joined at the next question")


def _place(facts: PlaceFacts) -> Finding:
    what = f"{facts.name} in {facts.path}: {facts.free / MB:,.0f} MB free"
    cure = f"Set {facts.variable} to a folder on another disk."
    if not facts.writable:
        cure = f"Set {facts.variable} to a folder that you may write to."
        return Finding("fault", "disk", f"{what}, cannot be written to", cure)
    if facts.free < LOW_BYTES:
        return Finding("fault" if facts.free < NO_BYTES else "warning", "disk", what, cure)
    return Finding("ok", "disk", what)


def _replies(facts: ReplyFacts | None) -> Iterator[Finding]:
    if facts is None:
        return
    kept = f"{facts.bytes_on_disk / MB:,.1f} MB in {facts.path}"
    if facts.on:
        yield Finding("ok", "replies", f"replies of models are kept: {kept}")
    elif facts.bytes_on_disk:
        what = f"replies of models are not kept; older ones take {kept}"
        yield Finding("note", "replies", what, f"rm {quote(facts.path)}")
    else:
        yield Finding("ok", "replies", "replies of models are not kept")


def _network(facts: NetworkFacts) -> Iterator[Finding]:
    contacts = _by_host(facts.outside)
    if facts.offline and contacts:
        role = facts.outside[0][0]
        key = role if role == "rerank" else f"models.{role}"
        yield Finding(
            "fault",
            "network",
            f"offline, but {contacts}",
            f"Leave out --offline (models.offline), or set {key}.base_url "
            "to a server on this machine.",
        )
    elif contacts:
        yield Finding("note", "network", f"leaves this machine: {contacts}")
    else:
        policy = "offline: only this machine is asked" if facts.offline else "online"
        yield Finding("ok", "network", f"{policy}; nothing leaves this machine")
    if facts.own:
        yield Finding("ok", "network", f"on this machine: {_by_host(facts.own)}")
    if facts.proxies:
        used = "used" if facts.outside else "not used, because no server is elsewhere"
        names = ", ".join(facts.proxies)
        yield Finding("note", "network", f"the environment names a proxy ({names}); {used}")
    if facts.tracing:
        what = "LangSmith's tracing is on: questions, chunks and answers are sent to LangSmith"
        yield Finding("warning", "telemetry", what, "unset RESEARCH_AGENT_TRACING")
    else:
        yield Finding("ok", "telemetry", "LangSmith's tracing is off, Chroma's telemetry is off")


def _by_host(asked: Iterable[tuple[str, str]]) -> str:
    """Return which roles ask which host.

    >>> _by_host([("answer", "a.example"), ("planner", "a.example"), ("filter", "b.example")])
    'a.example is asked by answer, planner; b.example is asked by filter'
    """
    hosts: dict[str, list[str]] = {}
    for role, host in asked:
        hosts.setdefault(host, []).append(role)
    return "; ".join(f"{host} is asked by {', '.join(roles)}" for host, roles in hosts.items())
