"""The demo agent after three careless changes, each of which one case catches."""

import itertools
import json
import sys

inbox = map(json.loads, sys.stdin.buffer)
call_ids = (f"c{number}" for number in itertools.count(1))


def main():
    for message in inbox:
        if message["type"] == "task_start":
            send({"type": "final_output", "output": answer(message["input"])})


def answer(task):
    ticket = task["ticket"]
    if len(ticket.split()) < 5:  # 1: "short tickets need no search"
        return {"category": "unknown", "reply": "Please read our documentation."}
    found = call_tool("search_docs", {"q": ticket.lower()})  # 2: "case does not matter"
    if not found["ok"]:
        return {"category": "unknown", "reply": "We will look into it and write again soon."}
    best = found["result"]["hits"][0]
    return {"category": best["category"], "reply": best.get("text")}  # 3: "text is always there"


def call_tool(name, args):
    send({"type": "tool_call", "name": name, "call_id": next(call_ids), "args": args})
    return next(inbox)


def send(message):
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
