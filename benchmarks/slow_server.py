"""A model server that answers at once but for a fixed delay, in a process of its own.

It prints its port, and ends with its input.
"""

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

ANSWER = "An encapsulation key has 1184 bytes [c1]."


class Handler(BaseHTTPRequestHandler):
    """Answers chat requests; the same to all, with log-probabilities."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Wait, then answer as a stream, or at once where none is asked for."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        time.sleep(float(sys.argv[1]))
        said = "yes" if asked["max_tokens"] == 1 else ANSWER
        streamed = bool(asked.get("stream"))
        body = _stream(said) if streamed else json.dumps(_reply(said)).encode()
        self.send_response(200)
        kind = "text/event-stream" if streamed else "application/json"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """Takes many connections at once."""

    request_queue_size = 256


def _tokens(said: str) -> dict[str, object]:
    other = {"token": "no", "logprob": -2.5, "bytes": None}
    words = [word + " " for word in said.split()] if " " in said else [said]
    return {
        "content": [
            {"token": word, "logprob": -0.1, "bytes": None, "top_logprobs": [_top(word), other]}
            for word in words
        ]
    }


def _top(word: str) -> dict[str, object]:
    return {"token": word, "logprob": -0.1, "bytes": None}


def _reply(said: str) -> dict[str, object]:
    message = {"role": "assistant", "content": said}
    choice = {"index": 0, "message": message, "logprobs": _tokens(said), "finish_reason": "stop"}
    usage = {"prompt_tokens": 90, "completion_tokens": 9, "total_tokens": 99}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "slow",
        "choices": [choice],
        "usage": usage,
    }


def _stream(said: str) -> bytes:
    reply = _reply(said)
    base = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "slow"}
    delta = {"role": "assistant", "content": said}
    told = {"index": 0, "delta": delta, "logprobs": _tokens(said), "finish_reason": None}
    ended = {"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"}
    chunks = (
        {**base, "choices": [told]},
        {**base, "choices": [ended]},
        {**base, "choices": [], "usage": reply["usage"]},
    )
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "".join([*lines, "data: [DONE]\n\n"]).encode()


def main() -> None:
    """Serve until the input ends."""
    with Server(("127.0.0.1", 0), Handler) as server:
        print(server.server_port, flush=True)
        Thread(target=server.serve_forever, daemon=True).start()
        sys.stdin.read()
        server.shutdown()


if __name__ == "__main__":
    main()
