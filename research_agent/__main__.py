"""`python -m research_agent` is `research-agent`, for where the command is not on the path."""

from research_agent.interfaces.cli.entry import run

if __name__ == "__main__":
    run()
