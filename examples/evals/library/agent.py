"""A librarian: finds a book, reserves a copy, and says when the branch opens."""

import itertools
import json
import sys

inbox = map(json.loads, sys.stdin.buffer)
call_ids = (f"c{number}" for number in itertools.count(1))


def main():
    for message in inbox:
        if message["type"] == "task_start":
            send({"type": "final_output", "output": {"reply": answer(message["input"])}})


def answer(task):
    found = call_tool("find_book", {"title": task["title"]})
    if not found["ok"]:
        return f"Sorry: {found['error']}"
    book = found["result"]
    place = call_tool("reserve", {"isbn": book["isbn"], "card": task["card"]})["result"]["place"]
    hours = call_tool("opening_hours", {"branch": book["branch"]})["result"]
    return f"{book['title']}: place {place} in the queue. {book['branch']} is open {hours}."


def call_tool(name, args):
    send({"type": "tool_call", "name": name, "call_id": next(call_ids), "args": args})
    return next(inbox)


def send(message):
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
