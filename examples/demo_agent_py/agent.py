"""A support agent in its simplest form: look the ticket up in the documentation, then answer.

It speaks RunLedger's protocol: one JSON object per line, in on standard input, out on standard
output. Everything meant for a person goes to standard error. Copy it and put a model in `answer`.
"""

import itertools
import json
import sys

inbox = map(json.loads, sys.stdin.buffer)  # bytes, so that it is UTF-8 whatever the locale
call_ids = (f"c{number}" for number in itertools.count(1))


def main():
    for message in inbox:  # once, or again and again with `agent_reuse: true`
        if message["type"] == "task_start":
            log(f"task {message['task_id']}")
            send({"type": "final_output", "output": answer(message["input"])})


def answer(task):
    found = call_tool("search_docs", {"q": task["ticket"]})
    if not found["ok"]:
        log(f"search_docs failed: {found.get('error')}")
        return {"category": "unknown", "reply": "We will look into it and write again soon."}
    if not found["result"]["hits"]:
        return {"category": "unknown", "reply": "Could you tell us a little more?"}
    best = found["result"]["hits"][0]
    return {"category": best["category"], "reply": f"{best['text']} (from: {best['title']})"}


def call_tool(name, args):
    """Ask the runner for a tool and wait for its answer."""
    send({"type": "tool_call", "name": name, "call_id": next(call_ids), "args": args})
    return next(inbox)


def send(message):
    print(json.dumps(message), flush=True)


def log(text):
    print(text, file=sys.stderr)


if __name__ == "__main__":
    main()
