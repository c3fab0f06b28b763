"""Names that tell of secrets, and names that only look so."""

from __future__ import annotations

import pytest

from runledger.store.redact.redactor import Redactor
from runledger.store.redact.telling import is_telling

TELLING = [
    *("password", "passwd", "pwd", "passphrase", "userPassword"),
    *("DB_PASSWORD", "dbpassword", "password2", "new_password"),
    *("password_confirmation", "secret", "client_secret", "clientSecret", "webhook_secret"),
    *("SecretString", "secrets"),
    *("api_key", "apikey", "apiKey", "APIKey", "api-key"),
    *("x-api-key", "X-Api-Key", "OPENAI_API_KEY", "api.key", "api_keys"),
    *("access_key", "secret_access_key", "AWS_SECRET_ACCESS_KEY", "aws_access_key", "private_key"),
    "privateKey",
    *("signing_key", "encryption_key", "account_key", "AccountKey", "SharedAccessKey"),
    "subscription_key",
    *("token", "auth_token", "authToken", "access_token", "accessToken"),
    *("refresh_token", "id_token", "session_token"),
    *("bearer_token", "GITHUB_TOKEN", "npm_config__authToken", "csrf_token", "tokenValue"),
    *("token_1", "access_tokens"),
    *("bearer", "authorization", "Authorization", "proxy-authorization", "Proxy_Authorization"),
    "jwt",
    *("credential", "credentials", "cookie", "cookies", "Set-Cookie"),
    *("set_cookie", "connection_string", "connectionString"),
    *("user[password]", "--password", "--api-key", "GH_PAT"),
    *("OPENAI_KEY", "STRIPE_KEY", "ACME_KEY", "process.env.GROQ_KEY", "OPENAI_KEY_PROD"),
    *("DB_PASS", "MYSQL_PASS", "ACME_CREDS", "request_token", "oauthRequestToken"),
]

HARMLESS = [
    *("next_page_token", "nextPageToken", "page_token", "next_token", "NextToken"),
    *("continuation_token", "sync_token"),
    *("progressToken", "progress_token", "cancellation_token", "client_token", "resume_token"),
    "pagination_token",
    *("max_tokens", "maxTokens", "token_count", "tokens", "tokens_in"),
    *("tokensOut", "input_tokens", "tokenizer", "token_type"),
    *("eos_token", "pad_token", "stop_token", "time_to_first_token", "cost_per_token"),
    *("token_url", "token_endpoint"),
    *("key", "keys", "primary_key", "foreign_key", "sort_key"),
    *("public_key", "idempotency_key", "cache_key", "keyboard"),
    *("author", "authors", "authority", "auth_method", "auth"),
    *("authenticated", "secretary", "secret_name", "secret_santa"),
    *("password_policy", "password_length", "passwordless", "bypass", "compass"),
    *("cookie_policy", "credential_type"),
    *("session_id", "call_id", "id", "name", "value"),
    *("text", "title", "monkey", "turkey", "access_key_id", "PWD", "OLDPWD"),
    *("PRIMARY_KEY", "SORT_KEY", "CACHE_KEY", "PUBLIC_KEY", "FOREIGN_KEY", "KEY", "PASS"),
    *("FIRST_PASS", "clientRequestToken", "pass", "openai_model"),
]


@pytest.mark.parametrize("name", TELLING)
def test_a_telling_name_hides_what_it_holds(name: str) -> None:
    """Whatever text stands under the name is a secret."""
    assert is_telling(name)
    assert Redactor().value({name: "plain words"}) == {name: "[REDACTED]"}


@pytest.mark.parametrize("name", HARMLESS)
def test_a_harmless_name_hides_nothing(name: str) -> None:
    """Names that share a word with telling ones leave their values alone."""
    value = {name: "plain words"}

    assert not is_telling(name)
    assert Redactor().value(value) is value


def test_a_name_that_is_a_secret_is_hidden_and_told_apart() -> None:
    """Objects may be keyed by what nobody may know; none of their values is lost."""
    redactor = Redactor(["s3cret-one", "s3cret-two"])
    value = {"by token": {"s3cret-one": 1, "s3cret-two": 2, "plain": 3}}

    assert redactor.value(value) == {"by token": {"[REDACTED]": 1, "[REDACTED] (2)": 2, "plain": 3}}


def test_a_secret_that_is_called_like_a_field_takes_none_away() -> None:
    """An agent may tell any word as its password, and ours are what records are read by."""
    redactor = Redactor(["tool_calls_by_name", "sha256"])
    value = {"tool_calls_by_name": {"sha256": "of tool_calls_by_name"}}

    assert redactor.value(value) == {"tool_calls_by_name": {"sha256": "of [REDACTED]"}}
