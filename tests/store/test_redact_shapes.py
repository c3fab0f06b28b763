"""Tokens that are known by their shape; examples are put together here: no file holds one."""

from __future__ import annotations

import re
from itertools import cycle, islice

import pytest

from runledger.store.redact.redactor import Redactor
from runledger.store.redact.token_shapes import SHAPES

ALPHABETS = {"w": "aB3dE6gH9jK2", "h": "0a1b2c3d4e5f", "u": "A2B3C4D5E6F7", "d": "9876512340"}
UUID = "{h8}-{h4}-{h4}-{h4}-{h12}"

# The least that is a token of each kind: {w20} stands for 20 letters and digits, {h} for
# hexadecimal, {u} for upper case, {d} for digits.
EXAMPLES = {
    "anthropic": "sk-ant-{w20}",
    "openrouter": "sk-or-v1-{h32}",
    "langfuse": "sk-lf-" + UUID,
    "openai-project": "sk-proj-{w20}",
    "openai": "sk-{w32}",
    "elevenlabs": "sk_{h48}",
    "groq": "gsk_{w40}",
    "huggingface": "hf_{w34}",
    "langsmith": "lsv2_pt_{h32}_{h10}",
    "nvidia": "nvapi-{w60}",
    "perplexity": "pplx-{w40}",
    "pinecone": "pcsk_{w60}",
    "replicate": "r8_{w37}",
    "tavily": "tvly-{w30}",
    "xai": "xai-{w60}",
    "github": "ghp_{w36}",
    "github-fine": "github_pat_{w22}",
    "gitlab": "glpat-{w20}",
    "atlassian": "ATATT3{w50}",
    "sourcegraph": "sgp_local_{h40}",
    "bitbucket": "ATBB{w32}",
    "aws": "AKIA{u16}",
    "aws-bedrock": "ABSK{w100}",
    "google": "AIza{w35}",
    "google-oauth": "ya29.{w20}",
    "google-client": "GOCSPX-{w28}",
    "google-refresh": "1//0{w30}",
    "azure-client": "{w3}8Q~{w31}",
    "azure-devops": "{w76}AZDO{w4}",
    "alibaba": "LTAI{w16}",
    "tencent": "AKID{w32}",
    "scaleway": "SCW{u17}",
    "digitalocean": "dop_v1_{h64}",
    "heroku": "HRKU-{w36}",
    "cloudflare": "cfut_{w40}",
    "cloudflare-origin": "v1.0-{h24}-{h100}",
    "flyio": "fm2_{w40}",
    "vercel": "vcp_{w24}",
    "netlify": "nfp_{w36}",
    "supabase": "sbp_{h40}",
    "planetscale": "pscale_tkn_{w32}",
    "databricks": "dapi{h32}",
    "slack": "xoxb-{w10}",
    "slack-webhook": "hooks.slack.com/services/{w20}",
    "discord": "M{w23}.{w6}.{w27}",
    "discord-webhook": "discord.com/api/webhooks/{d18}/{w60}",
    "teams-webhook": f"webhook.office.com/webhookb2/{UUID}@{UUID}/IncomingWebhook/{{h32}}",
    "zapier-webhook": "hooks.zapier.com/hooks/catch/{d8}/{w6}",
    "twitter": "AAAAAAAAAAAAAAAAAAAAA{w30}%3D{w40}",
    "telegram": "{d9}:AA{w33}",
    "twilio": "SK{h32}",
    "sendgrid": "SG.{w16}.{w16}",
    "mailgun": "key-{h32}",
    "mailchimp": "{h32}-us{d1}",
    "brevo": "xkeysib-{h64}-{w16}",
    "resend": "re_{w8}_{w24}",
    "stripe": "sk_live_{w16}",
    "stripe-webhook": "whsec_{w24}",
    "square": "EAAA{w60}",
    "shopify": "shpat_{h32}",
    "facebook": "EAA{w80}",
    "easypost": "EZAK{w54}",
    "npm": "npm_{w36}",
    "pypi": "pypi-{w50}",
    "rubygems": "rubygems_{h48}",
    "crates": "cio{w32}",
    "clojars": "CLOJARS_{h60}",
    "docker": "dckr_pat_{w27}",
    "artifactory": "AKCp{w60}",
    "buildkite": "bkua_{h40}",
    "circleci": "CCIPAT_{w22}_{h40}",
    "sonarqube": "sqp_{h40}",
    "vault": "hvs.{w24}",
    "terraform": "{w14}.atlasv1.{w60}",
    "pulumi": "pul-{h40}",
    "doppler": "dp.pt.{w40}",
    "openshift": "sha256~{w43}",
    "onepassword": "ops_eyJ{w100}",
    "age": "AGE-SECRET-KEY-1{q58}",
    "grafana": "glsa_{w32}_{h8}",
    "newrelic": "NRAK-{u27}",
    "sentry": "sntrys_{w40}",
    "dynatrace": "dt0c01.{u24}.{u64}",
    "posthog": "phx_{w40}",
    "notion": "ntn_{w40}",
    "linear": "lin_api_{w32}",
    "airtable": "pat{w14}.{h64}",
    "figma": "figd_{w40}",
    "postman": "PMAK-{h24}-{h34}",
    "hubspot": "pat-na1-" + UUID,
    "contentful": "CFPAT-{w43}",
    "prefect": "pnu_{w36}",
    "typeform": "tfp_{w40}",
    "mapbox": "sk.eyJ{w20}.{w20}",
    "dropbox": "sl.{w130}",
    "jwt": "eyJ{w10}.eyJ{w10}.{w8}",
}
NEAR_MISSES = {"jwt": "eyJ{w10}.eyJ{w10}", "mailchimp": "{h32}-us", "age": "AGE-SECRET-KEY-1{q57}"}
HARMLESS = [
    "commit {h40} of main",
    "sha256:{h64}",
    "id " + UUID,
    "toolu_01{w22} call_{w24} msg_01{w22} req_{w24}",
    "chatcmpl-{w29} run_{w24} asst_{w24}",
    "2026-02-15T10:11:12.345Z",
    "/usr/lib/python3.11/site-packages/sk-learn/task-runner_v2.py",
    "https://example.com/a/b?page=2&next_page_token={w40}",
    "data:image/png;base64,iVBORw0KGgo{w200}",
    "public pk.eyJ{w20}.{w20} and zeros AAAAAAAAAAAAAAAAAAAAAAAA{w80}",
    "https://zapier.com/apps/webhook/integrations",
    "risk-averse desk-bound task-{d3} ask_{w10}",
    "the quick brown fox; v1.0-rc1, node:20-alpine@sha256:{h64}",
    "com.example.deeply.nested.package.name.ClassName.methodName",
]


def expand(template: str, *, shorter: bool = False) -> str:
    """Fill a template with characters; a near miss has one less in its last place."""
    places = re.findall(r"\{(\w)(\d+)\}", template)
    parts = re.split(r"\{\w\d+\}", template)
    filled = [parts[0]]
    for number, ((letter, count), after) in enumerate(zip(places, parts[1:], strict=True)):
        less = shorter and number == len(places) - 1
        alphabet = ALPHABETS.get(letter, "QPZRY9X8GF2T")
        filled += ["".join(islice(cycle(alphabet), int(count) - less)), after]
    return "".join(filled)


@pytest.mark.parametrize("kind", [shape.kind for shape in SHAPES])
def test_a_token_is_found_by_its_shape(kind: str) -> None:
    """A token alone in prose gives way to a placeholder that tells its kind."""
    found = Redactor(salt="s").text(f"use {expand(EXAMPLES[kind])} here")

    assert re.fullmatch(rf"use \[REDACTED:{kind}:[0-9a-f]{{8}}\] here", found)


@pytest.mark.parametrize("kind", [shape.kind for shape in SHAPES])
def test_a_near_miss_stays(kind: str) -> None:
    """What is one sign too short for a token is none."""
    near = expand(NEAR_MISSES.get(kind, EXAMPLES[kind]), shorter=kind not in NEAR_MISSES)

    assert Redactor().text(f"use {near} here") == f"use {near} here"


@pytest.mark.parametrize("template", HARMLESS)
def test_ids_and_hashes_stay(template: str) -> None:
    """Shas, ids, dates, paths, images and prose are no tokens."""
    text = expand(template)

    assert Redactor().text(text) is text


@pytest.mark.parametrize(
    "before", ["\n", "\\n", "\\\\n", "%20", "\x1b[32m", "\\u001b[0m", "=", '"', "("]
)
def test_a_token_is_found_behind_an_escape(before: str) -> None:
    """The letter that ends an escape is no part of a token."""
    token = expand(EXAMPLES["github"])

    assert Redactor().text(f"x{before}{token}") == f"x{before}[REDACTED]"


def test_the_table_is_large_and_its_kinds_are_plain() -> None:
    """Kinds are unique and fit into a placeholder."""
    kinds = [shape.kind for shape in SHAPES]

    assert len(set(kinds)) == len(kinds) >= 40
    assert not [kind for kind in kinds if not re.fullmatch("[a-z0-9-]{1,40}", kind)]
