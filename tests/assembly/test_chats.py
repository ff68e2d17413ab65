"""How the links of a model call are put together: cache, limits, tries, prices, what is learned."""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from research_agent.assembly.connection import connect
from research_agent.assembly.models.connecting import Models, connect_models
from research_agent.assembly.models.endpoints import learned_file, reply_file
from research_agent.assembly.models.roles import check_prices
from research_agent.config import load_prompts
from research_agent.errors import ConfigError, ModelTimeoutError
from research_agent.interfaces.agent import ResearchAgent
from research_agent.interfaces.cli.index import update
from research_agent.model_settings import (
    ModelSettings,
    PriceSettings,
    ReplyCacheSettings,
    RoleSettings,
)
from research_agent.settings import BudgetSettings, Settings
from research_agent.types import Message
from tests.interfaces.commands import GUIDE, Model
from tests.loopback import Json, Raw, Reply, Script, embedding_reply, server, text_reply
from tests.loopback_faults import FAULTS, busy, once

ASKED = [Message("user", "capital of France?")]
OFF = ReplyCacheSettings(mode="off")
PRICE = PriceSettings(model="m", read=10.0, written=100.0)


@pytest.fixture
def environment(tmp_path: Path) -> Mapping[str, str]:
    """An environment with a cache of its own."""
    return {"RESEARCH_AGENT_CACHE": str(tmp_path / "kept")}


def at(url: str, **changes: object) -> ModelSettings:
    """Return settings for one server."""
    chat = RoleSettings(provider="openai", model="m", base_url=url)
    return replace(ModelSettings(chat=chat), **changes)  # type: ignore[arg-type]  # (tests change any field)


@contextmanager
def connected(
    settings: ModelSettings, environment: Mapping[str, str], notes: list[str] | None = None
) -> Iterator[Models]:
    told = [] if notes is None else notes
    models = connect_models(
        settings, environment=environment, on_progress=lambda _, __: None, on_note=told.append
    )
    with closing(models):
        yield models


class Counted:
    """A script that keeps what it was asked."""

    def __init__(self, script: Script = lambda _: text_reply("Paris")) -> None:
        self._script = script
        self.asked: list[Json] = []

    def __call__(self, given: Json) -> Json | Raw:
        self.asked.append(given)
        reply = self._script(given)
        assert isinstance(reply, dict | Raw)
        return reply


def test_replies_are_kept_for_the_next_one(environment: Mapping[str, str]) -> None:
    """A second connection answers from the file; nothing is sent, and nothing is charged."""
    script = Counted()
    with server(script) as url:
        for reused in (False, True):
            with connected(at(url, prices=(PRICE,)), environment) as models:
                reply = models.answerer.complete("answer", ASKED, max_tokens=7)
            assert ("Paris", reused) == (reply.text, reply.cost.reused)
            assert bool(reply.cost.price) is not reused
    assert 1 == len(script.asked)


def test_cache_can_be_switched_off(environment: Mapping[str, str]) -> None:
    """With mode off every call is sent, no verdict is kept, and no file is made."""
    script = Counted()
    with server(script) as url, connected(at(url, reply_cache=OFF), environment) as models:
        assert models.decisions is None
        for _ in range(2):
            assert not models.answerer.complete("answer", ASKED, max_tokens=7).cost.reused
    assert 2 == len(script.asked)
    assert not reply_file(environment).exists()


def test_what_was_refused_is_not_sent_again(environment: Mapping[str, str]) -> None:
    """A server without log-probabilities is asked for them once, by all connections together."""
    script = Counted(FAULTS["log-probabilities refused"](lambda _: text_reply("Paris")))
    with server(script) as url:
        for _ in range(2):
            with connected(at(url, reply_cache=OFF), environment) as models:
                assert () == models.answerer.complete("answer", ASKED, max_tokens=7).tokens
    assert [True, False, False] == [bool(given.get("logprobs")) for given in script.asked]
    assert "http" not in learned_file(environment).read_text(encoding="utf-8")


def test_fault_that_passes(environment: Mapping[str, str]) -> None:
    """A busy server is asked again when it wants that; the reply is priced as one."""
    script = once(busy("1"))(lambda _: text_reply("Paris"))
    with server(script) as url, connected(at(url, prices=(PRICE,)), environment) as models:
        cost = models.answerer.complete("answer", ASKED, max_tokens=7, seconds=20).cost
    assert 2 == cost.tries
    assert 1.0 <= cost.seconds < 15
    assert (90 * 10 + 9 * 100) / 1e6 == pytest.approx(cost.price)


@pytest.mark.parametrize("prices", [(), (PriceSettings(model="another"),)])
def test_limit_in_money_needs_prices(prices: tuple[PriceSettings, ...]) -> None:
    """A cost that nobody can count is refused before anything is opened, and says what to add."""
    models = at("http://127.0.0.1:9/v1", prices=prices)
    limited = Settings(models=models, budget=BudgetSettings(cost=1.0))
    with pytest.raises(ConfigError, match="no price for 'm'") as caught:
        check_prices(limited)
    assert "models.prices" in caught.value.hint
    with pytest.raises(ConfigError, match="no price for 'm'"):
        connect("no such index", limited, {})
    check_prices(replace(limited, models=replace(models, prices=(PRICE,))))
    check_prices(Settings(budget=BudgetSettings(cost=1.0)))  # (the embedded model costs nothing)


def test_roles_share_the_limit_of_their_server(environment: Mapping[str, str]) -> None:
    """With one request at a time all take turns, though they name different models."""
    lock, all_of_them = threading.Lock(), threading.Barrier(3)
    seen: list[tuple[str, bool]] = []

    def script(given: Json) -> Json:
        alone = lock.acquire(blocking=False)
        seen.append((given["model"], alone))
        time.sleep(0.1)
        if alone:
            lock.release()
        return embedding_reply([[1.0]]) if "input" in given else text_reply("Paris")

    with server(script) as url:
        embedding = RoleSettings(provider="openai", model="e", base_url=url)
        settings = at(
            url,
            concurrency=1,
            reply_cache=OFF,
            planner=RoleSettings(model="mini"),
            embedding=embedding,
        )
        with connected(settings, environment) as models:

            def ask(role: str) -> None:
                model = models.planner if role == "planner" else models.answerer
                all_of_them.wait()
                for _ in range(2):
                    if role == "embedding":
                        models.embedder.embed(["a"])
                    else:
                        model.complete(role, ASKED, max_tokens=7)

            roles = ("planner", "answer", "embedding")
            threads = [threading.Thread(target=ask, args=(r,)) for r in roles]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    assert [(name, True) for name in ("e", "e", "m", "m", "mini", "mini")] == sorted(seen)


def test_embedding_server_that_hangs(environment: Mapping[str, str], tmp_path: Path) -> None:
    """A question's search waits for it no longer than the question's budget has seconds."""
    (tmp_path / "guide.md").write_text(GUIDE, encoding="utf-8")
    index = str(tmp_path / "index")
    hanging = FAULTS["hang before the headers"](Model().reply)
    well = [True]

    def script(given: Json) -> Reply:
        vectors = [[1.0, float(place)] for place, _ in enumerate(given["input"])]
        return embedding_reply(vectors) if well else hanging(given)

    with server(script) as url:
        embedding = RoleSettings(provider="openai", model="e", base_url=url)
        settings = Settings(models=at(url, embedding=embedding), budget=BudgetSettings(seconds=1.0))
        update(index, [str(tmp_path / "guide.md")], settings)
        well.clear()
        with (
            connect(index, settings, environment) as connection,
            ResearchAgent(connection.ports, settings, load_prompts()) as agent,
        ):
            begun = time.monotonic()
            with pytest.raises(ModelTimeoutError):
                agent.ask("At how many degrees is bread baked?")
    assert time.monotonic() - begun < 2.5


def test_damaged_cache_is_told_once(environment: Mapping[str, str], tmp_path: Path) -> None:
    """A whole question is answered beside a damaged file; the user is told of it once."""
    (tmp_path / "guide.md").write_text(GUIDE, encoding="utf-8")
    index = str(tmp_path / "index")
    update(index, [str(tmp_path / "guide.md")], Settings())
    file = reply_file(environment)
    file.parent.mkdir()
    file.write_bytes(b"no database at all" * 100)
    notes: list[str] = []
    with server(Model().reply) as url:
        settings = Settings(models=at(url))
        with (
            connect(index, settings, environment, on_note=notes.append) as connection,
            ResearchAgent(connection.ports, settings, load_prompts()) as agent,
        ):
            first = agent.ask("At how many degrees is bread baked?")
            second = agent.ask("At how many degrees is bread baked?")
    assert "Bread is baked at 230 degrees [c1]." == first.answer == second.answer
    assert ["the reply cache failed: the file was damaged and is begun anew"] == notes
    assert 0 < second.usage.reused_calls
    assert 0 == second.usage.llm_calls


def test_verdicts_belong_to_the_filters_model(environment: Mapping[str, str]) -> None:
    """Another model for the filter knows none of them; another for answers knows all."""
    settings = at("http://127.0.0.1:9/v1")
    with connected(settings, environment) as models:
        assert models.decisions is not None
        models.decisions.put({"a": "keep"})
    for role, known in (("filter", {}), ("answer", {"a": "keep"})):
        other = replace(settings, **{role: RoleSettings(model="large")})  # type: ignore[arg-type]  # (roles)
        with connected(other, environment) as models:
            assert models.decisions is not None
            assert known == models.decisions.get(["a", "b"])
