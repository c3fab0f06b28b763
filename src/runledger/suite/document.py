"""The keys a user may write in a suite and in a case, with the shape of each value.

Nothing is coerced and unknown keys are refused. What a key means beside another one, and
what it means on disk, is `check`'s business.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")
_SERVER = re.compile(r"[A-Za-z0-9_-]{1,100}")


def _fits_file_name(name: str) -> str:
    if not _NAME.fullmatch(name) or name in (".", ".."):
        raise PydanticCustomError(
            "name", "must be 1 to 100 of A-Z a-z 0-9 . _ - because it becomes a file name"
        )
    return name


def _names_variable(name: str) -> str:
    if not name or "=" in name or "\0" in name:
        raise PydanticCustomError("variable", "is not the name of an environment variable")
    return name


def _fits_tool_name(name: str) -> str:
    if not _SERVER.fullmatch(name):
        raise PydanticCustomError(
            "server", "must be 1 to 100 of A-Z a-z 0-9 _ - because names of tools are made of it"
        )
    return name


def _has_no_nul(text: str) -> str:
    if "\0" in text:
        raise PydanticCustomError("nul", "holds a NUL character")
    return text


def _is_an_input(value: Any) -> Any:
    if isinstance(value, (str, dict)):
        return value
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return value
    raise PydanticCustomError("input", "must be an object, a text or a list of texts")


def _in_a_list(value: Any) -> Any:
    return [value] if isinstance(value, dict) else value


Name: TypeAlias = Annotated[
    str,
    AfterValidator(_fits_file_name),
    WithJsonSchema(
        {"type": "string", "pattern": f"^{_NAME.pattern}$", "not": {"enum": [".", ".."]}}
    ),
]
ServerName: TypeAlias = Annotated[
    str,
    AfterValidator(_fits_tool_name),
    WithJsonSchema({"type": "string", "pattern": f"^{_SERVER.pattern}$"}),
]
Text: TypeAlias = Annotated[str, Field(min_length=1)]
Argument: TypeAlias = Annotated[
    str,
    AfterValidator(_has_no_nul),
    WithJsonSchema({"type": "string", "pattern": r"^[^\u0000]*$"}),
]
Variable: TypeAlias = Annotated[
    str,
    AfterValidator(_names_variable),
    WithJsonSchema({"type": "string", "pattern": r"^[^=\u0000]+$"}),
]
Input: TypeAlias = Annotated[
    Any,
    AfterValidator(_is_an_input),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "object"},
                {"type": "array", "items": {"type": "string"}, "minItems": 1},
            ]
        }
    ),
]
Count: TypeAlias = Annotated[int, Field(ge=0)]
Amount: TypeAlias = Annotated[float, Field(ge=0)]
Texts: TypeAlias = Annotated[list[Text], Field(min_length=1)]
Command: TypeAlias = Annotated[list[Argument], Field(min_length=1)]


class Document(BaseModel):
    """Refuse unknown keys, and take no value for another kind of value."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True
    )


class RequiredFieldsSpec(Document):
    """`required_fields`: the output has every one of these fields."""

    type: Literal["required_fields"]
    fields: Texts


class JsonSchemaSpec(Document):
    """`json_schema`: the output is valid under the schema in a file."""

    type: Literal["json_schema"]
    schema_path: Text


class MustCallSpec(Document):
    """`must_call`: every one of these tools is called."""

    type: Literal["must_call"]
    tools: Texts


class MustNotCallSpec(Document):
    """`must_not_call`: none of these tools is called."""

    type: Literal["must_not_call"]
    tools: Texts


class CallOrderSpec(Document):
    """`call_order`: these tools are called in this order."""

    type: Literal["call_order"]
    order: Texts


class ToolArgsSpec(Document):
    """`tool_args`: the arguments of a tool's calls fit a schema, equal a value or contain one."""

    type: Literal["tool_args"]
    tool: Text
    schema_path: Text | None = None
    equals: Any = None
    contains: Any = None


class CallCountSpec(Document):
    """`call_count`: a tool is called so many times."""

    type: Literal["call_count"]
    tool: Text
    min: Count | None = None
    max: Count | None = None


class ContainsSpec(Document):
    """`contains`: the output, or the value at a path, contains a text."""

    type: Literal["contains"]
    text: Text
    path: Text | None = None


class RegexSpec(Document):
    """`regex`: the output, or the value at a path, matches a pattern."""

    type: Literal["regex"]
    pattern: Text
    path: Text | None = None


class EqualsSpec(Document):
    """`equals`: the value at a path is exactly this one."""

    type: Literal["equals"]
    path: Text
    value: Any


class ScriptSpec(Document):
    """`script`: a program of the user's judges."""

    type: Literal["script"]
    command: Command


OutputSpec: TypeAlias = RequiredFieldsSpec | JsonSchemaSpec | ContainsSpec | RegexSpec | EqualsSpec
CallSpec: TypeAlias = MustCallSpec | MustNotCallSpec | CallOrderSpec | ToolArgsSpec | CallCountSpec
AssertionSpec: TypeAlias = Annotated[
    OutputSpec | CallSpec | ScriptSpec, Field(discriminator="type")
]


class BudgetSpec(Document):
    """`budgets`: what a case may use."""

    max_wall_ms: Count | None = None
    max_tool_calls: Count | None = None
    max_tool_errors: Count | None = None
    max_tokens_out: Count | None = None
    max_cost_usd: Amount | None = None


class EnvSpec(Document):
    """`env`: the variables an agent gets beside the usual ones."""

    pass_: list[Variable] | None = Field(default=None, alias="pass")
    set: dict[Variable, Argument] | None = None


class MatchSpec(Document):
    """`cassettes.match.<tool>`: how its recorded arguments are compared with a call's."""

    ignore: list[Text] | None = None
    replace: dict[Text, str] | None = None
    match: Literal["exact", "subset"] = "exact"


class CassettesSpec(Document):
    """`cassettes`: the order of calls, what an unused entry means, the rule of each tool."""

    order: Literal["none", "strict"] = "none"
    unused: Literal["fail", "warn", "ignore"] | None = None
    match: dict[Text, MatchSpec] | None = None


class RegressionSpec(Document):
    """`regression`: what the gate demands."""

    min_success_rate: Annotated[float, Field(ge=0, le=1)] | None = None
    max_avg_wall_ms_delta_pct: Amount | None = None
    max_p95_wall_ms_delta_pct: Amount | None = None
    latency_gate: Literal["warn", "fail"] | None = None
    abs_floor_ms: Count = 50
    allow_missing_cases: bool = False
    gate: Literal["point", "statistical"] | None = None


class McpServerSpec(Document):
    """An MCP server: the command that starts it, and variables of its own."""

    command: Command
    env: dict[Variable, Argument] | None = None


class ModelProxySpec(Document):
    """`proxies.model`: the model API that stands behind ours."""

    env: Variable
    upstream: Text
    profile: Text = "generic"
    key_env: Variable | None = None
    latency: Literal["off", "recorded"] = "off"


class ProxiesSpec(Document):
    """`proxies`: the servers that we offer to the agent in place of its own."""

    model: (
        Annotated[
            list[ModelProxySpec],
            BeforeValidator(
                _in_a_list, json_schema_input_type=ModelProxySpec | list[ModelProxySpec]
            ),
        ]
        | None
    ) = None
    mcp: dict[ServerName, McpServerSpec] | None = None


class WorkspaceSpec(Document):
    """`workspace`: the directory of which each case gets a fresh copy."""

    from_: Text = Field(alias="from")
    home: Literal["fresh", "caller"] = "fresh"


class InjectOnSpec(Document):
    """`inject[].on`: which request a fault answers."""

    kind: Literal["model", "mcp"]
    nth: Annotated[int, Field(ge=1)] = 1


class InjectDoSpec(Document):
    """`inject[].do`: the fault."""

    status: Annotated[int, Field(ge=400, le=599)] | None = None
    delay_ms: Count | None = None
    reset: bool | None = None
    cut_after_frames: Count | None = None
    malformed: bool | None = None


class InjectSpec(Document):
    """`inject[]`: one fault on purpose."""

    on: InjectOnSpec
    do: InjectDoSpec


class SuiteConfig(Document):
    """suite.yaml, as its author wrote it."""

    suite_name: Name
    agent_command: Command
    cases_path: Text
    agent_protocol: Literal["stdio", "acp", "headless", "python"] = "stdio"
    agent_reuse: bool = False
    mode: Literal["replay", "record", "live"] = "replay"
    tool_registry: list[Text] | None = None
    tool_module: Text | None = None
    tool_timeout_s: Annotated[float, Field(gt=0)] = 30.0
    env: EnvSpec | None = None
    assertions: list[AssertionSpec] | None = None
    budgets: BudgetSpec | None = None
    cassettes: CassettesSpec | None = None
    regression: RegressionSpec | None = None
    baseline_path: Text | None = None
    output_dir: Text | None = None
    grace_ms: Count = 2000
    sandbox: Literal["none", "bwrap"] = "none"
    adapter: Text | None = None
    permissions: Text | None = None
    proxies: ProxiesSpec | None = None
    workspace: WorkspaceSpec | None = None
    inject: list[InjectSpec] | None = None
    mcp_tools: dict[Text, McpServerSpec] | None = None


class CaseConfig(Document):
    """A case, or a line of prompts, as its author wrote it."""

    id: Name
    input: Input
    description: str | None = None
    cassette: Text | None = None
    assertions: list[AssertionSpec] | None = None
    budgets: BudgetSpec | None = None
    expected: Any = None
    reference: Any = None
    metadata: dict[str, Any] | None = None
    tags: list[Text] | None = None
    timeout: Annotated[int, Field(ge=1)] | None = None
    inject: list[InjectSpec] | None = None
