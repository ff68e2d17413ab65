"""Ask an index from Python; make one first: `research-agent index docs`."""

import sys

from research_agent import ResearchAgent


def main(question: str) -> None:
    """Print the answer, and the words that carry it."""
    with ResearchAgent.open() as agent:
        result = agent.ask(question)
    print(result.answer)
    for citation in result.citations:
        print(f"[{citation.key}] {citation.place}: {citation.quote!r}")


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "How is retrieval confidence computed?")
