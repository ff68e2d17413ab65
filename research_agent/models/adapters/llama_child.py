"""The program in which the llama.cpp server runs: a child that ends when its parent does.

Its first line of input is a JSON object with `path`, `name`, `context`, `threads` and `key`; its
only line of output is the server's address. When its input ends, however the parent went, it
ends at once. The key keeps other users of the machine, and web pages in a browser, away from
the server. What the server itself prints goes to the standard error stream.
"""

import json
import os
import signal
import sys
import threading
from collections.abc import Mapping
from typing import Any


def main() -> int:
    """Serve until the standard input ends; return 1 where the model cannot be loaded."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is meant for the parent
    answer = os.dup(1)
    os.dup2(2, 1)
    asked = json.loads(sys.stdin.buffer.readline())
    watcher = threading.Thread(target=_end_with_parent, daemon=True)
    watcher.start()
    try:
        server = _start(asked)
    except (RuntimeError, MemoryError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    os.write(answer, f"{server.listening_address}\n".encode())
    os.close(answer)
    watcher.join()
    return 0


def _end_with_parent() -> None:
    """Leave without cleaning up: a reply that is being written must not hold the process.

    Reads past Python's buffers: their lock would make the other way out, a failed start, crash.
    """
    while os.read(0, 4096):
        pass
    os._exit(0)


def _start(asked: Mapping[str, Any]) -> Any:  # noqa: ANN401 (xllamacpp ships no types)
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = asked["path"]
    params.model_alias = {asked["name"]}
    params.n_ctx = asked["context"]
    params.n_parallel = 1
    params.n_batch = 512  # a question that was given up is noticed between two batches
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = asked["threads"]
    params.cache_ram_mib = 512
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [asked["key"]]
    params.cors_origins = ""
    params.ui = False
    params.endpoint_slots = False
    params.verbosity = 1
    return xllamacpp.Server(params)


if __name__ == "__main__":
    sys.exit(main())
