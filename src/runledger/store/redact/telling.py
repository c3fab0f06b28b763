"""Names that tell what they hold: `api_key` holds a secret, `next_page_token` does not."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from functools import lru_cache

from ...ledger.value import Json

# A name is telling when its last words are one of these.
ENDINGS = (
    *("password", "passwords", "passwd", "pwd", "passphrase", "passphrases", "passcode"),
    *("secret", "secrets", "credential", "credentials", "authorization", "bearer", "jwt"),
    *("token", "cookie", "cookies", "auth header", "basic auth"),
    *("access tokens", "refresh tokens", "auth tokens", "api tokens", "session tokens"),
    *("api key", "api keys", "access key", "access keys", "secret key", "secret keys"),
    *("private key", "private keys", "signing key", "encryption key", "decryption key"),
    *("account key", "master key", "subscription key", "shared key", "storage key"),
    *("app key", "application key", "auth key", "hmac key", "service key", "role key"),
    *("connection string", "connection strings", "conn string", "conn str"),
    *("db pass", "user pass", "admin pass", "root pass", "smtp pass", "proxy pass"),
    *("github pat", "gh pat", "gitlab pat", "azure pat", "devops pat"),
)

# The same, written in one lower-case word, maybe behind another: `dbpassword`.
GLUED = (
    *("password", "passwd", "passphrase", "clientsecret", "apikey", "secretkey", "accesskey"),
    *("privatekey", "signingkey", "encryptionkey", "accountkey", "connectionstring"),
    *("authtoken", "accesstoken", "refreshtoken", "sessiontoken", "bearertoken", "apitoken"),
    *("idtoken", "authorization"),
)

# What may stand before a secret, and says nothing about it: `Bearer abc`.
SCHEMES = "bearer|basic|token|digest|negotiate|apikey|api-key|ssws|dpop|oauth|hawk|key"

# A token behind one of these is a place in a list, a piece of text, or a receipt.
HARMLESS_TOKENS = frozenset(
    [
        *("page", "next", "previous", "prev", "continuation", "continue", "pagination", "cursor"),
        *("sync", "delta", "change", "resume", "scroll", "start", "starting", "nextpage", "last"),
        *("progress", "cancellation", "cancel", "idempotency", "client", "task"),
        *("eos", "bos", "pad", "mask", "unk", "sep", "cls", "stop", "special", "end", "fim"),
        *("first", "per", "max", "min", "input", "output", "prompt", "completion", "each"),
        *("design", "syntax", "lexer", "parser", "current", "invalid", "unexpected", "expected"),
    ]
)

# Ends of names in capitals, as variables of the environment have them: `OPENAI_KEY`, `MYSQL_PASS`.
CAPITAL_ENDINGS = frozenset({"key", "pass", "pat", "creds"})

# In capitals behind one of these, a key finds something and a pass is a turn: `SORT_KEY`.
HARMLESS_CAPITALS = frozenset(
    [
        *("primary", "foreign", "public", "sort", "cache", "partition", "hash", "range", "unique"),
        *("index", "idempotency", "routing", "object", "lookup", "group", "composite", "query"),
        *("config", "settings", "theme", "state", "context", "default", "registry", "message"),
        *("duplicate", "missing", "invalid", "unknown", "no", "has", "any", "enter", "escape"),
        *("tab", "shift", "ctrl", "alt", "arrow", "delete", "hot", "first", "second", "last"),
        *("test", "tests", "by", "all", "render", "dict", "json", "map", "row", "column"),
    ]
)

# Beside one of these names `pass` is a password; alone it says that a test went well.
USERS = frozenset({"user", "username", "user_name", "userName", "login", "email", "account"})

# Words that may follow a telling ending without changing what the name holds.
QUALIFIERS = frozenset(
    [
        *("value", "string", "text", "raw", "plain", "plaintext", "encoded", "base64", "b64"),
        *("binary", "confirmation", "confirm", "repeat", "again", "old", "new", "current"),
        *("prod", "production", "dev", "staging", "test", "live", "primary", "secondary"),
    ]
)

LONGEST = 200  # characters of a name that are looked at, and kept

# Named like secrets, but every shell sets them to directories.
_DIRECTORIES = frozenset({"PWD", "OLDPWD"})

_SCHEMA_TYPES = frozenset({"string", "object", "array", "number", "integer", "boolean", "null"})
_ENDINGS = frozenset(tuple(ending.split()) for ending in ENDINGS)
_MOST_WORDS = max(map(len, _ENDINGS))
_SEGMENT = re.compile(r"[A-Za-z0-9_. -]*[A-Za-z0-9][A-Za-z0-9_. -]*")
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


def is_telling(name: str) -> bool:
    """Say whether what stands under a name is a secret, going by the name's last words."""
    return _is_telling(name[-LONGEST:])


def is_telling_among(name: str, names: Container[str]) -> bool:
    """Say whether a name tells, going by those beside it too: `pass` does so beside `user`."""
    return is_telling(name) or (name.lower() == "pass" and any(user in names for user in USERS))


def is_schema(value: Json) -> bool:
    """Say whether a value tells of what type a secret is, as the schema of a tool does."""
    if not isinstance(value, Mapping):
        return False
    kind = value.get("type")
    return isinstance(kind, str) and kind in _SCHEMA_TYPES and "value" not in value


def telling_stems() -> str:
    """Give a pattern, for any case of letters, that is found in every telling name."""
    spelled = ["[-_. ]*".join(ending.split()) for ending in ENDINGS]
    capitals = "|".join(sorted(CAPITAL_ENDINGS)).upper()
    return "|".join(dict.fromkeys([*spelled, *GLUED, f"(?-i:[A-Z0-9]_(?:{capitals}))"]))


def telling_needles() -> str:
    """Give such a pattern that passes over the many `max_tokens` and `tokens_in`."""
    return telling_stems().replace("|token|", "|token(?-i:[^a-z]|$)|")


@lru_cache(maxsize=4096)
def _is_telling(name: str) -> bool:
    if name in _DIRECTORIES:
        return False
    words = _words(name)
    bare = _without_qualifiers(words)
    if name.rpartition(".")[2].isupper() and _is_capital_key(bare):
        return True
    return _ends_tellingly(words) or _ends_tellingly(bare)


def _words(name: str) -> list[str]:
    segments = _SEGMENT.findall(name)  # of `user[password]` the last one counts
    return [word.lower() for word in _WORD.findall(segments[-1])] if segments else []


def _without_qualifiers(words: list[str]) -> list[str]:
    while len(words) > 1 and (words[-1] in QUALIFIERS or words[-1].isdigit()):
        words = words[:-1]
    return words


def _ends_tellingly(words: list[str]) -> bool:
    if not words or _is_harmless(words):
        return False
    ends = (tuple(words[-count:]) for count in range(1, _MOST_WORDS + 1))
    return any(end in _ENDINGS for end in ends) or words[-1].endswith(GLUED)


def _is_capital_key(words: list[str]) -> bool:
    return len(words) > 1 and words[-1] in CAPITAL_ENDINGS and words[-2] not in HARMLESS_CAPITALS


def _is_harmless(words: list[str]) -> bool:
    if words[-1] != "token" or len(words) == 1:
        return False
    # OAuth's `request_token` is a secret; a client's is how AWS knows a request that comes twice.
    return words[-2] in HARMLESS_TOKENS or words[-3:-1] == ["client", "request"]
