"""Options that several benchmarks have."""

import click

WEIGHTS = click.option("--weights", default="1.5b", type=click.Choice(["1.5b", "0.5b"]))
MODEL = click.option("--weights", default="1.5b", type=click.Choice(["1.5b", "0.5b", "strong"]))
"""Also "strong": a server's model at RESEARCH_AGENT_BENCHMARK_URL, or its recordings."""
LIVE = click.option("--live", is_flag=True, help="Ask the model for what is not recorded.")
MINUTES = click.option("--minutes", default=45.0, help="Begin nothing new after this long.")
CACHE = click.option("--cache", default="", help="Keep indexes in this folder.")
