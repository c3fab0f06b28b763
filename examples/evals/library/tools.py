"""The tools of the library, in Python: what `tool_module` names.

Each case gets a process of its own, so that what a tool remembers ends with the case.
"""

BOOKS = {
    "emma": {"isbn": "9780141439587", "title": "Emma", "branch": "Harbour"},
    "ulysses": {"isbn": "9780141182803", "title": "Ulysses", "branch": "Hill"},
}
RESERVATION = {
    "type": "object",
    "required": ["isbn", "card"],
    "properties": {"isbn": {"type": "string", "minLength": 10}, "card": {"type": "string"}},
}
queues = {}


def find_book(args):
    """Find a book by its title; an exception is what the agent hears as an error."""
    book = BOOKS.get(args["title"].lower())
    if book is None:
        raise LookupError(f"no book is called {args['title']}")
    return book


class Reserve:
    """A tool with a schema: arguments that do not fit never reach `call`."""

    name = "reserve"
    schema = RESERVATION

    def call(self, args):
        queue = queues.setdefault(args["isbn"], [])
        queue.append(args["card"])
        return {"place": len(queue)}


TOOLS = {"find_book": find_book, "reserve": Reserve()}
