# ruff: noqa: E501 - the lines of the pages have up to 140 characters
"""The reference page about parameters of the stack, environment variables, and URLs.

It consists of introductions and of tables that are made from the code: reference_pages.py writes it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import yaml

from podgraft.core.injectors.istio import injector, releases
from podgraft.service import http as web
from podgraft.service import settings
from podgraft.service.paths import ROUTES

ROOT = Path(__file__).parents[1]


def render_table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    head = [*header]
    lines = [_render_row(head), f"|{'---|' * len(head)}", *map(_render_row, rows)]
    return "\n".join(lines) + "\n"


def _render_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


# Parameters of the stack

_PARAMETERS = """\
# Parameters

Each parameter of the stack, each environment variable, and the URLs. [AWS](aws.md#ten-decisions) describes when to change which parameter. Set
them in `samconfig.toml`, or with `sam deploy --parameter-overrides RefreshSeconds=10`. The page is generated from the code.

## Stack
"""


class _TemplateLoader(yaml.SafeLoader):
    """Reads a template of CloudFormation without its functions."""


def _construct_function(loader: Any, suffix: str, node: Any) -> str:
    del loader, node
    return f"!{suffix}"


yaml.add_multi_constructor("!", _construct_function, Loader=_TemplateLoader)


def read_template_parameters() -> Mapping[str, Mapping[str, Any]]:
    """The parameters of template.yaml by name."""
    text = (ROOT / "template.yaml").read_text()
    return yaml.load(text, Loader=_TemplateLoader)["Parameters"]  # noqa: S506 - a SafeLoader


def render_parameters() -> str:
    """The section of the parameters of the stack."""
    rows = (
        (f"`{name}`", _describe_values(parameter), _format_default(parameter), _text_of(parameter))
        for name, parameter in read_template_parameters().items()
    )
    table = render_table(("parameter", "values", "default", "description"), rows)
    return f"{_PARAMETERS}\n{table}"


def _text_of(parameter: Mapping[str, Any]) -> str:
    return re.sub(r"([<>*\[\]])", r"\\\1", str(parameter.get("Description", "")).strip())


def _format_default(parameter: Mapping[str, Any]) -> str:
    default = parameter.get("Default")
    return "required" if default is None else "empty" if default == "" else f"`{default}`"


def _describe_values(parameter: Mapping[str, Any]) -> str:
    allowed = parameter.get("AllowedValues")
    if allowed:
        return ", ".join(f"`{value}`" for value in allowed)
    low, high = parameter.get("MinValue"), parameter.get("MaxValue")
    if low is not None:
        return f"number, {low} or more" if high is None else f"number, {low} to {high}"
    if "AllowedPattern" in parameter:
        return f"`{parameter['AllowedPattern']}`"
    return str(parameter["Type"]).lower()


# Environment variables

_ENVIRONMENT = """\
## Variables

### The function

The template sets these variables. An unknown variable with the prefix `PODGRAFT_` is an error, so a misspelled name is never
without effect. `PODGRAFT_STORE=file:<folder>` runs the same function outside of Lambda.
"""
_COMMANDS = """\
### The commands

An option on the command line replaces the variable, and the variable replaces the key of the
[project file](policies.md#the-project-file). The variables of AWS (`AWS_PROFILE`, `AWS_REGION`, …) have their usual
meaning.
"""


def render_environment(commands: Iterable[tuple[str, click.Command]]) -> str:
    """The section of the environment variables."""
    function = render_table(("variable", "default", "value"), read_settings_table())
    options: dict[str, dict[str, None]] = {}
    for name, command in commands:
        for parameter in command.params:
            if not isinstance(parameter, click.Option) or parameter.hidden:
                continue
            if isinstance(parameter.envvar, str):
                used = f"`--{parameter.opts[-1].lstrip('-')}` of `{_group_of(name)}`"
                options.setdefault(parameter.envvar, {})[used] = None
    rows = ((f"`{name}`", ", ".join(used)) for name, used in sorted(options.items()))
    table = render_table(("variable", "option"), rows)
    return f"{_ENVIRONMENT}\n{function}\n{_COMMANDS}\n{table}"


def _group_of(name: str) -> str:
    return " ".join(name.split()[:2])


def read_settings_table() -> Iterator[tuple[str, str, str]]:
    """The rows of the table in the docstring of ``podgraft.service.settings``."""
    lines = (settings.__doc__ or "").splitlines()
    rules = [index for index, line in enumerate(lines) if line.startswith("====")]
    first, second = (match.start() for match in list(re.finditer(r"=+", lines[rules[0]]))[1:])
    row: list[str] = []
    for line in lines[rules[1] + 1 : rules[2]]:
        cells = (line[:first], line[first:second], line[second:])
        if cells[0].strip() and row:
            yield row[0], row[1], row[2]
            row = []
        texts = [cell.strip().replace("``", "`") for cell in cells]
        row = [f"{a} {b}".strip() for a, b in zip(row, texts, strict=True)] if row else texts
    yield row[0], row[1], row[2]


# URLs

_URLS = """\
## URLs

The paths that the function and `podgraft serve` serve:

```text
https://HOST[:PORT] [/k/TOKEN] [/INJECTOR] /inject [/cluster/ID] [/net/NETWORK] [/NAME/VALUE]…
https://HOST[:PORT] [/k/TOKEN] [/INJECTOR] /mutate
https://HOST[:PORT] [/k/TOKEN] [/INJECTOR] /validate
```

| part | meaning |
|---|---|
| `/k/TOKEN` | the token of the calling cluster, if kube-apiserver cannot send it in the header `Authorization: Bearer TOKEN`. It comes first, and podgraft removes it before it reads or logs the path |
| `/INJECTOR` | the injector: lower-case letters, digits, and `-`, at most 63 characters. Without it, the injector is `default` |
| `/inject`, `/mutate`, `/validate` | the route: sidecars and overlays of pods; overlays of other objects; rules |
| `/cluster/ID` | the cluster id that the proxies report to istiod. It does not identify the caller: [two ids](concepts.md#two-kinds-of-cluster-id) |
| `/net/NETWORK` | the network of the proxies |
| `/NAME/VALUE` | another environment variable of the proxies. podgraft writes its name in upper case. `--slash--` in the value represents `/` |

`podgraft register` writes these paths and rejects invalid ones.
"""
_VARIABLES = """\
### Variables of the path by release

Istio's releases read the part after `/inject/` differently, and podgraft follows the release of the bundle:
"""
_EXAMPLES = (
    "cluster/prod-eu/net/eu",
    "cluster/prod-eu/net/eu/team/a--slash--b",
    ":ENV:cluster=prod-eu:ENV:net=eu",
    "team",
)
_RELEASES = ("1.6", "1.7", "1.8", "1.10", "1.30")


def read_routes() -> list[tuple[str, str]]:
    """Each rule of the application with its method; a review has the forms of the grammar."""
    app = web.create_app(_NO_STORE, _NO_STORE)
    found: list[tuple[str, str]] = []
    for rule in app.url_map.iter_rules():
        methods = ", ".join(sorted((rule.methods or set()) - {"HEAD"}))
        is_review = "target" in str(rule)
        forms = [f"[/INJECTOR]/{route}[/…]" for route in ROUTES] if is_review else [str(rule)]
        found += [(form, methods) for form in forms]
    return sorted(found)


_NO_STORE: Any = None  # the routes of an application do not depend on its store


def render_urls() -> str:
    """The section of the URLs."""
    routes = render_table(
        ("route", "method"), ((f"`{rule}`", method) for rule, method in read_routes())
    )
    rows = (
        (f"`{example}`", *(_describe_variables(release, example) for release in _RELEASES))
        for example in _EXAMPLES
    )
    variables = render_table(("path after `/inject/`", *_RELEASES), rows)
    return f"{_URLS}\n### Routes\n\n{routes}\n{_VARIABLES}\n{variables}"


def _describe_variables(release: str, path: str) -> str:
    found = injector.parse_environment(releases.parse_release(release), path)
    return ", ".join(f"`{name}={value}`" for name, value in found.items()) or "none"
