"""A process of its own that keeps replies and reads them back: `reply_writer.py FILE NAME N`."""

import sys
from pathlib import Path

from research_agent.models.adapters.reply_files import SqliteReplies
from research_agent.ports import KeptReply
from research_agent.types import Completion, ModelCall


def main(path: str, name: str, number: str) -> None:
    with SqliteReplies(Path(path), max_mb=10, max_days=1) as replies:
        for index in range(int(number)):
            kept = KeptReply(Completion(f"{name} {index}", ModelCall("answer")), float(index))
            replies.put(f"{name}{index}", kept)
            if replies.get(f"{name}{index}") != kept:
                sys.exit("a reply was lost")


if __name__ == "__main__":
    main(*sys.argv[1:])
