"""What the server counts, in the format of Prometheus."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from research_agent.types.result import Usage

SECONDS = (0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)


class Metrics:
    """Counters of one process; nothing in them says what was asked, or by whom."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        name = "research_agent_{}".format
        self._requests = Counter(
            name("requests"), "Requests that ended.", ["path", "status"], registry=registry
        )
        self._seconds = Histogram(
            name("request_seconds"), "Their duration.", ["path"], buckets=SECONDS, registry=registry
        )
        self._errors = Counter(
            name("errors"), "Questions that an error ended.", ["error"], registry=registry
        )
        self._tokens = Counter(
            name("model_tokens"), "Tokens of language models.", ["kind"], registry=registry
        )
        self.running = Gauge(
            name("questions_running"), "Questions and searches now.", registry=registry
        )

    def request(self, path: str, status: int, seconds: float) -> None:
        """Count a request; status 499 is a client that has gone."""
        self._requests.labels(path, str(status)).inc()
        self._seconds.labels(path).observe(seconds)

    def error(self, name: str) -> None:
        """Count a question that an error ended, by the error's class."""
        self._errors.labels(name).inc()

    def spent(self, usage: Usage) -> None:
        """Count what an answer has cost."""
        self._tokens.labels("prompt").inc(usage.prompt_tokens)
        self._tokens.labels("completion").inc(usage.completion_tokens)

    def text(self) -> bytes:
        """Return all of it."""
        return generate_latest(self._registry)
