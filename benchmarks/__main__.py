"""`python -m benchmarks NAME`: measure, print, and keep what is to be committed."""

import json
from dataclasses import replace

import click

from benchmarks import answers, indexing, overhead
from research_agent.settings import AnswerSettings, Settings

ARMS = {
    "default": Settings(),
    "refusing-prompt": replace(Settings(), answer=AnswerSettings(refusal="prompt")),
}
"""What is compared; each arm differs from the default in one stage."""


@click.group()
def main() -> None:
    """Measure research_agent."""


@main.command("answers")
@click.option("--weights", default="1.5b", type=click.Choice(["1.5b", "0.5b"]))
@click.option("--arm", default="default", type=click.Choice(list(ARMS)))
@click.option("--live", is_flag=True, help="Ask the model for what is not recorded.")
@click.option("--limit", default=0, help="Only the first questions.")
@click.option("--minutes", default=45.0, help="Start no question after this long.")
def answers_command(*, weights: str, arm: str, live: bool, limit: int, minutes: float) -> None:
    """Answer the NIST questions and score the answers."""
    chosen = answers.arm(weights, f"{weights}-{arm}", ARMS[arm])
    scores = answers.run(chosen, live=live, limit=limit, minutes=minutes)
    print(json.dumps(scores, indent=2))


@main.command("overhead")
def overhead_command() -> None:
    """Measure everything but model and embedder."""
    print(json.dumps(overhead.run(), indent=2))


@main.command("indexing")
def indexing_command() -> None:
    """Measure indexing the six PDFs."""
    print(json.dumps(indexing.run(), indent=2))


if __name__ == "__main__":
    main()
