"""Who may ask what: tokens, the index that each is bound to, and their limits."""

import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from research_agent.access import SHORTEST, access_token
from research_agent.assembly.shared import tenant_index
from research_agent.errors import ConfigError
from research_agent.yaml_text import read_yaml

TOKEN, TOKENS = "RESEARCH_AGENT_SERVE_TOKEN", "RESEARCH_AGENT_SERVE_TOKENS"
OTHERS = stat.S_IRWXG | stat.S_IRWXO
LARGEST = 10_000_000
"""Bytes of a token file."""


class Rule(BaseModel):
    """One token, and what it may do."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str = Field("default", pattern=r"^[A-Za-z0-9_-]{1,64}$")
    """Of its owner; conversations belong to it, and stay when the token changes."""
    token: str = Field(min_length=SHORTEST, max_length=1000, pattern=r"^[!-~]+$", repr=False)
    index: str = ""
    """The one index that it may ask; empty: that of `--index`."""
    metrics: bool = False
    """It may read /metrics, and ask no questions unless `index` is set."""
    requests_per_minute: int = Field(120, ge=1)
    questions: int = Field(4, ge=1)
    """Questions and searches at a time."""


_RULES: TypeAdapter[list[Rule]] = TypeAdapter(Annotated[list[Rule], Field(min_length=1)])


class Client:
    """What the owner of a token uses of its limits; used by the event loop alone."""

    def __init__(self, rule: Rule, location: str) -> None:
        self.rule, self.location = rule, location
        """`location`: of the index that it asks; empty where it may ask none."""
        self._left, self._at, self._running = float(rule.requests_per_minute), time.monotonic(), 0

    def wait(self) -> float:
        """Count a request; return 0.0, or the seconds until the next one is allowed."""
        most = self.rule.requests_per_minute
        now = time.monotonic()
        self._left = min(most, self._left + (now - self._at) * most / 60)
        self._at = now
        if self._left < 1:
            return (1 - self._left) * 60 / most
        self._left -= 1
        return 0.0

    @contextmanager
    def question(self) -> Iterator[bool]:
        """Hold one of its places for questions; gives False where none is free."""
        if self._running >= self.rule.questions:
            yield False
            return
        self._running += 1
        try:
            yield True
        finally:
            self._running -= 1


class Clients:
    """The owners of all tokens."""

    def __init__(self, rules: Sequence[Rule], *, index: str, root: str = "") -> None:
        """Bind each token to its index, below `root` where there is one.

        Raises ConfigError for a token or a name that comes twice, PathError for a bad index name.
        """
        self._by_digest: dict[bytes, Client] = {}
        for rule in rules:
            named = tenant_index(root, rule.index) if root and rule.index else rule.index
            location = named or ("" if rule.metrics else index)
            self._by_digest[_digest(rule.token)] = Client(rule, location)
        names = {rule.name for rule in rules}
        if not len(rules) == len(names) == len(self._by_digest):
            raise ConfigError(
                "a token, or the name of one, comes twice", hint="Give each a name of its own."
            )

    @property
    def locations(self) -> list[str]:
        """The indexes, in the order of the tokens."""
        every = (client.location for client in self._by_digest.values())
        return list(dict.fromkeys(filter(None, every)))

    def of(self, header: bytes) -> Client | None:
        """Return who sends this Authorization header, None for nobody known."""
        kind, _, token = header.decode("latin-1").partition(" ")
        return self._by_digest.get(_digest(token.strip())) if kind.lower() == "bearer" else None


def rules_of(file: str | None, environment: Mapping[str, str]) -> tuple[list[Rule], bool]:
    """Return the tokens, and whether a new one was made; raises ConfigError."""
    if file:
        return _rules(_private_text(Path(file).expanduser()), file), False
    if tokens := environment.get(TOKENS):
        return _rules(tokens, TOKENS), False
    rule = Rule(token=access_token(TOKEN, environment), index="")
    return [rule], not environment.get(TOKEN)


def _rules(text: str, where: str) -> list[Rule]:
    try:
        return _RULES.validate_python(read_yaml(text))
    except (yaml.YAMLError, ValueError) as error:
        first = "it is no YAML"  # (whose message would repeat tokens)
        if isinstance(error, ValidationError):
            issue = error.errors(include_input=False)[0]
            first = f"{'.'.join(map(str, issue['loc'])) or 'it'}: {issue['msg']}"
        raise ConfigError(
            f"the tokens of {where} cannot be used: {first}",
            hint="It is a list of name, token, index and limits: see docs/serve.md.",
        ) from None


def _private_text(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            if mode & OTHERS and os.name != "nt":  # (Windows has no such modes)
                raise ConfigError(f"others can use {path}", hint=f"Close it: chmod 600 {path}")
            return stream.read(LARGEST).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error


def _digest(token: str) -> bytes:
    return sha256(token.encode()).digest()
