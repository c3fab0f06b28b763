"""Ask a model for each line of a file of requests, one after the other, as an agent does.

Usage: model_client.py URL FILE; prints the milliseconds that each answer took, as a JSON list.
"""

from __future__ import annotations

import http.client
import json
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit


def main() -> None:
    """Ask, and print how long it took."""
    url, file = sys.argv[1:]
    connection = http.client.HTTPConnection(urlsplit(url).netloc)
    took = []
    for body in Path(file).read_bytes().splitlines():
        started = time.perf_counter()
        connection.request("POST", "/v1/messages", body, {"content-type": "application/json"})
        response = connection.getresponse()
        assert response.status == 200, response.read()
        response.read()
        took.append((time.perf_counter() - started) * 1000)
    connection.close()
    print(json.dumps(took))


main()
