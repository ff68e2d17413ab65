"""Ask an index from Python; make one first: `research-agent index docs`."""

import sys

from research_agent import Limits, ResearchAgent
from research_agent.types.events import Finished, StepFinished


def main(question: str) -> None:
    """Print the steps as they end, then the answer and the quotes it cites."""
    with ResearchAgent.open() as agent:
        for event in agent.stream(question, limits=Limits(rounds=1, seconds=300.0)):
            match event:
                case StepFinished(step=step, summary=summary) if summary:
                    print(f"{step}: {summary}", file=sys.stderr)
                case Finished(result=result):
                    print(result.answer)
                    for citation in result.citations:
                        print(f"[{citation.key}] {citation.place}: {citation.quote!r}")


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "How is retrieval confidence computed?")
