"""Where the program begins: nothing is imported yet that takes time or opens files."""

import os
import signal
import sys
import threading


def run() -> None:
    """Run the program, its three standard files open, and Ctrl-C without a traceback.

    Else the next file that is opened, such as an index, would get what is printed.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:  # noqa: PLR2004 (stderr)
        pass
    os.close(number)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 (open to the end)
    own = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if own:  # there is nobody yet to say a word
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from research_agent.interfaces.cli.main import main

    if own:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    main()
