"""Random templates of overlays, of the constructs that ``podgraft policy export`` knows.

A template can fail, and an export can refuse it. What is exported must give what podgraft gives.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

Write = Callable[[], str]

_TEXTS = (
    *('"a"', '"web"', '""', '"7"', '"100m"', '"-x-"', '"true"', "$.ObjectMeta.Name", "$.Namespace"),
    *('(index $.ObjectMeta.Labels "app")', '(index $.ObjectMeta.Annotations "team")'),
    *("$.Spec.ServiceAccountName", "$.Spec.PriorityClassName"),
)
_MEMORY = "(index $.Spec.Containers 0).Resources.Requests.Memory"
_DICT = '(dict "web" "b" "on" "")'
# The ranges, and the texts in them.
_RANGES = {
    "range .Spec.Volumes": [".Name"],
    "range .Spec.Containers": [".Name", ".Image"],
    "range .Spec.InitContainers": [".Name", ".Image"],
    "range $k, $v := .ObjectMeta.Annotations": ["$k", "$v"],
    'range list "a" "web"': ["."],
}


@dataclass
class Templates:
    """A generator; ``elements`` are the texts of the range around."""

    random: random.Random
    texts: list[str] = field(default_factory=list[str])
    flags: list[str] = field(default_factory=list[str])
    lists: list[str] = field(default_factory=list[str])
    amounts: list[str] = field(default_factory=list[str])
    elements: list[str] = field(default_factory=list[str])

    def make(self) -> str:
        """A template with new variables."""
        for names in (self.texts, self.flags, self.lists, self.amounts):
            names.clear()
        statements = [self._statement() for _ in range(self.random.randint(0, 4))]
        return "".join(statements) + self._body()

    def _pick(self, *texts: str) -> str:
        return self.random.choice(texts)

    def _flip(self, share: float) -> bool:
        return self.random.random() < share

    def _text(self, depth: int = 2) -> str:
        leaves = (*_TEXTS, *self.texts * 3, *self.elements * 4)
        if self._flip(0.01):
            return "$.Spec.RestartPolicy"  # has another type
        if depth == 0 or self._flip(0.3):
            return self._pick(*leaves)
        text, other, leaf = self._text(depth - 1), self._text(depth - 1), self._text(0)
        return self._pick(
            f"({text} | default {other})",
            f'(coalesce {text} {leaf} "z")',
            f"({self._pick('or', 'and')} {text} {other})",
            f"(print {text} {self._pick(leaf, self._integer(1))} {leaf})",
            f"(ternary {text} {other} {self._flag(depth - 1)})",
            f"(trimPrefix {self._pick('`w`', leaf)} {text})",
            f"(replace {self._pick('`a`', '``')} {leaf} {text})",
            f"(regexFind {self._pick('`^[a-z]+`', '`[0-9]+`', '`x*`', '`e.`')} {text})",
            f"(regexReplaceAll {self._pick('`-[^-]+$`', '`b$`', '`x+$`')} {text} `z`)",
            f"(toString {self._pick(self._integer(1), text)})",
            f"(join `,` {self._list()})",
            f"(index {_DICT} {text} | default {leaf})",
            f"(get {_DICT} {text})",
            self._amount(depth),
        )

    def _integer(self, depth: int) -> str:
        number = f"(int {self._text(0)})"
        if depth == 0:
            return self._pick("0", "3", number)
        if self._flip(0.2):
            return f"({self._pick('div', 'mod')} {number} 3)"
        return f"({self._pick('max', 'min', 'add', 'sub', 'mul')} {self._integer(0)} {number})"

    def _flag(self, depth: int = 1) -> str:
        leaf = f"(eq {self._text(0)} {self._text(0)})"
        if depth <= 0 or self._flip(0.2):
            return self._pick("true", "$.Spec.HostNetwork", leaf, *self.flags * 3)
        text, equal = self._text(depth - 1), self._pick("eq", "ne")
        return self._pick(
            f"({equal} {text} {self._text(0)})",
            f"({equal} {self._integer(1)} {self._integer(0)})",
            f"({equal} {self._flag(0)} {leaf})",
            f"({self._pick('hasPrefix', 'hasSuffix', 'contains')} {self._text(0)} {text})",
            f"(not {self._condition(depth - 1)})",
            f"({self._pick('and', 'or')} {self._flag(depth - 1)} {leaf})",
            f"(has {text} {self._list()})",
            f"(regexMatch `e.` {text})",
        )

    def _condition(self, depth: int = 1) -> str:
        flag, leaf = self._flag(depth), self._text(0)
        objects = self._pick("$.Spec.Volumes", "$.ObjectMeta.Labels", "$.Spec.InitContainers")
        return self._pick(flag, flag, self._text(depth), objects, f"(or {objects} {flag} {leaf})")

    def _list(self) -> str:
        split = f"(splitList {self._pick('`,`', '`-`')} {self._text(0)})"
        return self._pick('(list "a" "web")', split, *self.lists * 3)

    def _amount(self, depth: int = 1) -> str:
        if depth == 0:
            return self._pick('"100m"', '"1Gi"', '"0"', _MEMORY, *self.amounts * 2)
        name = self._pick("quantityAdd", "quantityMax", "quantityMin")
        if self._flip(0.3):
            return f"(quantityMul {self._amount(depth - 1)} {self._pick('2', '`0.5`')})"
        return f"({name} {self._amount(depth - 1)} {self._amount(0)})"

    def _statement(self) -> str:
        if self._flip(0.4):
            return self._range(lambda: self._branch(self._assignment))
        if self._flip(0.2):
            return self._branch(self._assignment) + "\n"
        name, names, value = self.random.choice(
            [
                ("x", self.texts, self._text()),
                ("f", self.flags, self._pick("false", self._flag())),
                ("l", self.lists, self._pick("list", self._list())),
                ("q", self.amounts, self._amount()),
            ]
        )
        variable = f"${name}{len(names)}"
        names.append(variable)
        return f"{{{{ {variable} := {value} }}}}\n"

    def _assignment(self) -> str:
        texts = [f"{name} = {self._text()}" for name in self.texts]
        texts += [f"{name} = {self._pick('true', self._flag())}" for name in self.flags]
        element = self._pick(self._text(), self._integer(0))
        texts += [f"{name} = append {name} {element}" for name in self.lists]
        amount = ".Resources.Requests.Cpu" if ".Image" in self.elements else self._amount(0)
        texts += [f"{name} = quantityAdd {name} {amount}" for name in self.amounts]
        return f"{{{{ {self._pick(*texts)} }}}}" if texts else ""

    def _range(self, write: Write) -> str:
        head = self._pick(*_RANGES)
        self.elements = _RANGES[head]
        text = f"{{{{ {head} }}}}{write()}{{{{ end }}}}\n"
        self.elements = []
        return text

    def _branch(self, write: Write, trim: str = "") -> str:
        text = f"{trim}{{{{ if {self._condition()} }}}}{write()}"
        if self._flip(0.3):
            text += f"{trim}{{{{ else if {self._condition()} }}}}{write()}"
        if self._flip(0.4):
            text += f"{trim}{{{{ else }}}}{write()}"
        return f"{text}{trim}{{{{ end }}}}"

    def _body(self) -> str:
        parts = ["metadata:\n  annotations:", self._block(4, "k0", "k1", "k2")]
        if self._flip(0.5):
            parts += ["\n  labels:", self._block(4, "app", "l1")]
        parts.append(f"\nspec:\n  terminationGracePeriodSeconds: {{{{ {self._integer(1)} }}}}")
        if self._flip(0.3):
            parts += ["\n  nodeSelector:", self._block(4, "zone", "os")]
        for name in ("volumes", "initContainers", "containers"):
            if self._flip(0.4):
                parts.append(f"\n  {name}:{self._elements(name)}")
        return "".join(parts) + "\n"

    def _block(self, indent: int, *keys: str) -> str:
        return "".join(
            self._maybe(
                lambda key=key: (
                    f"\n{' ' * indent}{key}: {self._pick(self._value(), self._lines(indent + 2))}"
                )
            )
            for key in keys
        )

    def _lines(self, indent: int) -> str:
        """A block of text, mostly without a branch inside."""
        lines = [f"\n{' ' * indent}{text}" for text in ("a", "{{ $.Namespace }}/b", "", "c")]
        texts = self.random.sample(lines, self.random.randint(1, 3))
        if self._flip(0.2):
            texts.append(self._maybe(lambda: lines[0]))
        return self._pick("|", "|", "|-", ">", "|+") + "".join(texts)

    def _maybe(self, write: Write) -> str:
        return write() if self._flip(0.5) else self._branch(write, "\n")

    def _value(self) -> str:
        quoted = f"{{{{ {self._text()} | quote }}}}"
        return self._pick(
            quoted, quoted, '"1"', "a/{{ $.ObjectMeta.Name }}", f"x={quoted[:-11]}}}}}/y"
        )

    def _elements(self, name: str) -> str:
        text = ""
        if name == "containers" and self._flip(0.6):
            self.elements = [".Name", ".Image"]
            image = self._pick("image: b:1", f"env: [{{name: B, value: {self._value()}}}]")
            element = f"\n  - name: {{{{ .Name | quote }}}}\n    {image}"
            text = f"\n{{{{ range .Spec.Containers }}}}{element}\n{{{{ end }}}}"
            self.elements = []
        for own in ("web", "agent"):
            more = "emptyDir: {}" if name == "volumes" else "image: a:1"
            if name == "containers":
                more += self._pick("", f"\n    env: [{{name: A, value: {self._value()}}}]")
            text += self._maybe(lambda own=own, more=more: f"\n  - name: {own}\n    {more}")
        return text + self._pick("", "", "", '\n  - name: "*"')
