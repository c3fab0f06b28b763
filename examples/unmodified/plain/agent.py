"""An agent of one file: it reads files with a model's help. It knows nothing of RunLedger."""

import json
import os
import sys
import urllib.request
from pathlib import Path

TOOLS = [
    {
        "name": "list_files",
        "description": "List the files of the project.",
        "input_schema": {"type": "object", "properties": {}},
    },
    {
        "name": "read_file",
        "description": "Read one file of the project.",
        "input_schema": {
            "type": "object",
            "properties": {"path": {"type": "string"}},
            "required": ["path"],
        },
    },
]


def ask_model(messages):
    body = {"model": "claude-haiku-4-5", "max_tokens": 500, "tools": TOOLS, "messages": messages}
    request = urllib.request.Request(
        os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages",
        json.dumps(body).encode(),
        {
            "content-type": "application/json",
            "anthropic-version": "2023-06-01",
            "x-api-key": os.environ["ANTHROPIC_API_KEY"],
            "user-agent": "plain-agent/1.0",
        },
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def use_tool(name, args):
    if name == "list_files":
        return "\n".join(sorted(str(path) for path in Path().rglob("*") if path.is_file()))
    return Path(args["path"]).read_text()


def main():
    messages = [{"role": "user", "content": sys.stdin.read()}]
    while True:
        answer = ask_model(messages)
        calls = [block for block in answer["content"] if block["type"] == "tool_use"]
        if not calls:
            print("".join(block["text"] for block in answer["content"]))
            return
        results = [
            {
                "type": "tool_result",
                "tool_use_id": call["id"],
                "content": use_tool(call["name"], call["input"]),
            }
            for call in calls
        ]
        messages += [
            {"role": "assistant", "content": answer["content"]},
            {"role": "user", "content": results},
        ]


main()
