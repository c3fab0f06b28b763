"""The shapes of well-known tokens, by which they are found wherever they stand.

Written from what the providers tell in public about their formats. A shape begins with something
that hardly anything else begins with; secrets without such a mark are found by the name beside
them.
"""

from __future__ import annotations

import re
from functools import lru_cache, partial
from typing import NamedTuple

from .linear import linear
from .placeholder import PLACEHOLDER, Hide
from .quoting import ESCAPE


class Shape(NamedTuple):
    """One kind of token; a `needle` is quicker to look for than a pattern without a fixed start."""

    kind: str
    pattern: str
    needle: str = ""


_WORD = "[A-Za-z0-9]"
_URLSAFE = "[A-Za-z0-9_-]"
_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

# Of shapes that could match the same text, the narrower one stands first.
SHAPES = (
    # Model providers: the console shows each key with its prefix.
    Shape("anthropic", f"sk-ant-{_URLSAFE}{{20,}}"),
    Shape("openrouter", "sk-or-(?:v1-)?[0-9a-f]{32,}"),
    Shape("langfuse", f"sk-lf-{_UUID}"),
    Shape("openai-project", f"sk-(?:proj|svcacct|admin|None)-{_URLSAFE}{{20,}}"),
    Shape("openai", f"sk-{_WORD}{{32,}}"),  # DeepSeek and others write theirs so too
    Shape("elevenlabs", r"sk_[0-9a-f]{48}\b"),
    Shape("groq", f"gsk_{_WORD}{{40,}}"),
    Shape("huggingface", f"(?:hf_|api_org_){_WORD}{{34,}}"),
    Shape("langsmith", "lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    Shape("nvidia", f"nvapi-{_URLSAFE}{{60,}}"),
    Shape("perplexity", f"pplx-{_WORD}{{40,}}"),
    Shape("pinecone", "pcsk_[A-Za-z0-9_]{60,}"),
    Shape("replicate", f"r8_{_WORD}{{37,}}"),
    Shape("tavily", f"tvly-(?:dev-|prod-)?{_URLSAFE}{{30,}}"),
    Shape("xai", f"xai-{_WORD}{{60,}}"),
    # Code hosts: GitHub "token formats", GitLab "token prefixes", Atlassian API tokens.
    Shape("github", f"gh[pousr]_{_WORD}{{36,}}"),
    Shape("github-fine", "github_pat_[A-Za-z0-9_]{22,}"),
    Shape("gitlab", rf"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-{_URLSAFE}{{20,}}"),
    Shape("atlassian", "AT[AC]TT3[A-Za-z0-9_=-]{50,}"),
    Shape("sourcegraph", r"sgp_(?:(?:[0-9A-Fa-f]{16}|local)_)?[0-9A-Fa-f]{40}\b"),
    Shape("bitbucket", rf"ATBB{_WORD}{{32}}\b"),
    # Clouds: AWS "unique identifiers", Google "API keys", Azure client secrets and DevOps tokens.
    Shape("aws", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
    Shape("aws-bedrock", "ABSK[A-Za-z0-9+/]{100,}={0,2}"),
    Shape("google", rf"AIza{_URLSAFE}{{35}}"),
    Shape("google-oauth", rf"ya29\.{_URLSAFE}{{20,}}"),
    Shape("google-client", f"GOCSPX-{_URLSAFE}{{28}}"),
    Shape("google-refresh", f"1//0{_URLSAFE}{{30,}}"),
    Shape("azure-client", r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}", "[0-9]Q~"),
    Shape("azure-devops", f"{_WORD}{{76}}AZDO{_WORD}{{4}}", "AZDO"),
    Shape("alibaba", rf"LTAI{_WORD}{{16,24}}\b"),
    Shape("tencent", rf"AKID{_WORD}{{32}}\b"),
    Shape("scaleway", r"SCW[A-Z0-9]{17}\b"),
    Shape("digitalocean", "do[opr]_v1_[0-9a-f]{64}"),
    Shape("heroku", f"HRKU-{_URLSAFE}{{36,}}"),
    Shape("cloudflare", f"cf(?:k|ut|at)_{_URLSAFE}{{40,}}"),  # its page "Token formats"
    Shape("cloudflare-origin", "v1[.]0-[0-9a-f]{24}-[0-9a-f]{100,}"),
    Shape("flyio", "(?:fo1|fm1[ar]?|fm2)_[A-Za-z0-9+/=_-]{40,}"),
    Shape("vercel", f"vc[aikpr]_{_WORD}{{24,}}"),  # its changelog on token formats
    Shape("netlify", f"nfp_{_WORD}{{36,}}"),
    Shape("supabase", f"sbp_[0-9a-f]{{40}}|sb_secret_{_URLSAFE}{{20,}}"),
    Shape("planetscale", "pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_.=-]{32,}"),
    Shape("databricks", r"dapi[0-9a-f]{32}(?:-[0-9])?\b"),
    # Talk and mail: Slack "token types", Discord and Telegram bot tokens, SendGrid "API keys".
    Shape("slack", "(?:xoxe[.])?xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,}"),
    Shape(
        "slack-webhook", "hooks[.]slack[.]com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}"
    ),
    Shape(
        "discord",
        rf"[MNO]{_URLSAFE}{{23,27}}[.]{_URLSAFE}{{6}}[.]{_URLSAFE}{{27,}}",
        rf"[.]{_URLSAFE}{{6}}[.]{_URLSAFE}{{27}}",
    ),
    Shape("discord-webhook", f"discord(?:app)?[.]com/api/webhooks/[0-9]+/{_URLSAFE}{{60,}}"),
    Shape(
        "teams-webhook",
        "(?:webhook[.]office[.]com/webhookb2|outlook[.]office(?:365)?[.]com/webhook)"
        "/[0-9a-f@-]{60,}/IncomingWebhook/[A-Za-z0-9/_-]{32,}",
    ),
    Shape("zapier-webhook", f"hooks[.]zapier[.]com/hooks/(?:catch|standard)/[0-9]+/{_WORD}{{6,}}"),
    Shape("twitter", "A{19,}[A-Za-z0-9%]{20,}(?:%3D|=)[A-Za-z0-9%]{40,}"),
    Shape("telegram", f"[0-9]{{8,10}}:AA{_URLSAFE}{{33}}", f":AA{_URLSAFE}{{33}}"),
    Shape("twilio", r"SK[0-9a-f]{32}\b"),
    Shape("sendgrid", f"SG[.]{_URLSAFE}{{16,32}}[.]{_URLSAFE}{{16,}}"),
    Shape("mailgun", r"key-[0-9a-f]{32}\b"),
    Shape("mailchimp", r"[0-9a-f]{32}-us[0-9]{1,2}\b", "[0-9a-f]-us[0-9]"),
    Shape("brevo", f"x(?:keysib|smtpsib)-[0-9a-f]{{64}}-{_WORD}{{16}}"),
    Shape("resend", rf"re_{_WORD}{{8}}_{_WORD}{{24}}\b"),
    # Money: Stripe "API keys", Square "access tokens", Shopify "access token" prefixes.
    Shape("stripe", f"[sr]k_(?:live|test)_{_WORD}{{16,}}"),
    Shape("stripe-webhook", "whsec_[A-Za-z0-9+/]{24,}={0,2}"),
    Shape("square", rf"EAAA{_URLSAFE}{{60}}\b|sq0(?:atp|csp)-{_URLSAFE}{{22,}}"),
    Shape("shopify", "shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    Shape("facebook", f"EAA{_WORD}{{80,}}"),
    Shape("easypost", rf"EZ[AT]K{_WORD}{{54}}\b"),
    # Packages and builds: npm "about access tokens", PyPI "API tokens", Docker "access tokens".
    Shape("npm", f"npm_{_WORD}{{36}}"),
    Shape("pypi", f"pypi-{_URLSAFE}{{50,}}"),
    Shape("rubygems", "rubygems_[0-9a-f]{48}"),
    Shape("crates", rf"cio{_WORD}{{32}}\b"),
    Shape("clojars", "CLOJARS_[0-9a-f]{60}"),
    Shape("docker", f"dckr_(?:pat|oat)_{_URLSAFE}{{27,}}"),
    Shape("artifactory", f"AKCp{_WORD}{{60,}}"),
    Shape("buildkite", "bkua_[0-9a-f]{40}"),
    Shape("circleci", f"CCIPAT_{_WORD}{{22}}_[0-9a-f]{{40}}"),
    Shape("sonarqube", r"sq[pua]_[0-9a-f]{40}\b"),
    # Infrastructure: Vault and Terraform tokens, Pulumi, Doppler, OpenShift, 1Password, age.
    Shape("vault", f"hv[sbr][.]{_URLSAFE}{{24,}}"),
    Shape("terraform", f"{_WORD}{{14}}[.]atlasv1[.]{_URLSAFE}{{60,}}", "[.]atlasv1[.]"),
    Shape("pulumi", r"pul-[0-9a-f]{40}\b"),
    Shape("doppler", "dp[.](?:pt|st|ct|sa|scim|audit)[.][A-Za-z0-9._-]{40,}"),
    Shape("openshift", rf"sha256~{_URLSAFE}{{43}}"),
    Shape("onepassword", "ops_eyJ[A-Za-z0-9+/_-]{100,}={0,2}"),
    Shape("age", "AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    # Watching: Grafana, New Relic, Sentry, Dynatrace, PostHog, each in its page on tokens.
    Shape("grafana", f"glsa_{_WORD}{{32}}_[0-9a-f]{{8}}|glc_[A-Za-z0-9+/]{{32,}}={{0,2}}"),
    Shape("newrelic", "NR(?:AK|II|RA)-[A-Za-z0-9_-]{27,}"),
    Shape("sentry", "sntr(?:ys|yu)_[A-Za-z0-9+/=_-]{40,}"),
    Shape("dynatrace", "dt0[a-z][0-9]{2}[.][A-Z0-9]{24}[.][A-Z0-9]{64}"),
    Shape("posthog", f"ph[xs]_{_WORD}{{40,}}"),
    # Work: Notion, Linear, Airtable, Figma, Postman, HubSpot, Contentful, Prefect, Mapbox.
    Shape("notion", f"ntn_{_WORD}{{40,}}|secret_{_WORD}{{43}}"),
    Shape("linear", f"lin_(?:api|oauth)_{_WORD}{{32,}}"),
    Shape("airtable", f"pat{_WORD}{{14}}[.][0-9a-f]{{64}}"),
    Shape("figma", f"figd_{_URLSAFE}{{40,}}"),
    Shape("postman", "PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    Shape("hubspot", f"pat-(?:na|eu|ap)[0-9]-{_UUID}"),
    Shape("contentful", f"CFPAT-{_URLSAFE}{{43}}"),
    Shape("prefect", rf"pn[ub]_{_WORD}{{36}}\b"),
    Shape("typeform", "tfp_[A-Za-z0-9_.-]{40,}"),
    Shape("mapbox", rf"[st]k[.]eyJ{_URLSAFE}{{20,}}[.]{_URLSAFE}{{20,}}"),
    Shape("dropbox", f"sl[.]{_URLSAFE}{{130,}}"),
    # RFC 7519: three parts, or five when encrypted; the first two begin as JSON objects do.
    Shape("jwt", rf"eyJ{_URLSAFE}{{8,}}[.](?:eyJ)?{_URLSAFE}{{8,}}(?:[.]{_URLSAFE}*){{1,3}}"),
)


def hide_shapes(content: bytes, hide: Hide) -> bytes:
    """Put placeholders in place of what has the shape of a token."""
    return _finder().sub(partial(_hidden, hide), content)


def shape_needles() -> bytes:
    """Give a pattern that matches wherever a token does, and maybe elsewhere."""
    return "|".join(shape.needle or shape.pattern for shape in SHAPES).encode()


@lru_cache(maxsize=1)
def _finder() -> re.Pattern[bytes]:
    patterns = "|".join(shape.pattern for shape in SHAPES).encode()
    return linear(PLACEHOLDER + rb"|(?:\b|" + ESCAPE + rb")(" + patterns + rb")")


def _hidden(hide: Hide, found: re.Match[bytes]) -> bytes:
    token: bytes | None = found[1]
    if token is None:
        return found[0]
    return found[0][: found.start(1) - found.start()] + hide(_kind(token), token)


def _kind(token: bytes) -> str:
    return next(one.kind for one in SHAPES if linear(one.pattern.encode()).fullmatch(token))
