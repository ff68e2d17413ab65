"""The command `calibrate`."""

import click

from research_agent.interfaces.cli.options import CONFIG, INDEX, OFFLINE
from research_agent.interfaces.cli.process import told
from research_agent.verification.calibration.risk_control import Of


@click.command("calibrate")
@INDEX
@CONFIG
@click.option("--questions", default=0, type=click.IntRange(0, 100_000), help="How many to ask.")
@click.option(
    "--rate",
    default=0.15,
    show_default=True,
    type=click.FloatRange(0.01, 0.5),
    help="Share of errors allowed among the questions that are not refined.",
)
@click.option(
    "--max-minutes",
    default=10.0,
    show_default=True,
    type=click.FloatRange(0.1, 1440),
    help="Begin no question after this long.",
)
@click.option("--rules", is_flag=True, help="Ask no model: make the questions by rules.")
@click.option(
    "--answers",
    default=0,
    type=click.IntRange(0, 10_000),
    help="Also have so many of the questions answered, and fit the limits of answers.",
)
@click.option(
    "--answer-rate",
    default=0.2,
    show_default=True,
    type=click.FloatRange(0.01, 0.5),
    help="Share of wrong answers allowed among those given.",
)
@click.option(
    "--of",
    default="answered",
    show_default=True,
    type=click.Choice(["answered", "asked"]),
    help="What --answer-rate is a share of: of the answers given, or of all that is asked.",
)
@click.option(
    "--gains",
    default=0,
    type=click.IntRange(0, 10_000),
    help="Also measure the gains of so many questions' chunks, and fit prune.min_gain.",
)
@click.option(
    "--gain-rate",
    default=0.1,
    show_default=True,
    type=click.FloatRange(0.01, 0.5),
    help="Share of questions whose right chunk pruning may leave out.",
)
@click.option("--dry-run", is_flag=True, help="Say what it would cost, and do nothing.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask whether to go on.")
@click.option("--json", "as_json", is_flag=True, help="Print threshold and questions as JSON.")
@OFFLINE
@told
def calibrate_command(  # noqa: PLR0913 (one argument an option)
    *,
    index: str,
    config: str | None,
    questions: int,
    rate: float,
    max_minutes: float,
    rules: bool,
    answers: int,
    answer_rate: float,
    of: Of,
    gains: int,
    gain_rate: float,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> int:
    """Fit to your documents how sure a first search has to be for a question to stay as it is.

    With --answers also how sure the model has to be of an answer, and with --gains which chunks
    pruning may leave out.
    """
    from research_agent.interfaces.calibrate import command as calibrating
    from research_agent.interfaces.calibrate.answers import WantedAnswers
    from research_agent.interfaces.calibrate.cost import Wanted
    from research_agent.interfaces.calibrate.gains import WantedGains

    wanted = Wanted(
        questions=questions,
        rate=rate,
        max_minutes=max_minutes,
        rules=rules,
        dry_run=dry_run,
        yes=yes,
        as_json=as_json,
        answers=WantedAnswers(questions=answers, rate=answer_rate, of=of),
        gains=WantedGains(questions=gains, rate=gain_rate),
    )
    return calibrating.calibrate(index, config=config, wanted=wanted)
