"""Policies, bindings, and CustomResourceDefinitions that the API of Kubernetes accepts or refuses.

python -m oracle.documents.record     (in tests/, with the repository's environment)
"""
# ruff: noqa: E501 (documents)

from collections.abc import Iterator
from pathlib import Path

from oracle import program
from podgraft.base.jsonvalue import JSON, Object
from podgraft.kube import yaml

FIXTURE = Path(__file__).parents[2] / "core/bundle/fixtures/api_rules.jsonl"
RELEASE = "1.37.2"
RULE = "{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}"
POLICY = f"""
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {{name: p}}
spec:
  failurePolicy: Fail
  matchConstraints: {{resourceRules: [{RULE}]}}
  validations: [{{expression: 'true'}}]
"""
_MUTATING = f"""
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {{name: p}}
spec:
  failurePolicy: Fail
  reinvocationPolicy: Never
  matchConstraints: {{resourceRules: [{RULE}]}}
  mutations: [{{patchType: JSONPatch, jsonPatch: {{expression: '[JSONPatch{{op: "test", path: "/a"}}]'}}}}]
"""
BINDING = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: p, validationActions: [Deny]}
"""
MUTATING_BINDING = """
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: p}
"""
DEFINITION = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: teams.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Team, plural: teams}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
"""


def _conditions(*names: str) -> str:
    listed = ", ".join(f"{{name: {name}, expression: 'true'}}" for name in names)
    return f"{{spec: {{matchConditions: [{listed}]}}}}"


def _rule(key: str, *values: str) -> str:
    rule = yaml.load(RULE)
    assert isinstance(rule, dict)
    rules: list[JSON] = [{**rule, key: [*values]}]
    return yaml.dump({"spec": {"matchConstraints": {"resourceRules": rules}}})


_NAMES = (
    *("a.b-c.example.com", "P_x", "a/b", "-a", "a-", "'1'", f"'{'a' * 253}'", f"'{'a' * 254}'"),
    *("a..b", "a.-b", "é"),
)
_NUMBERED = tuple(f"c{number}" for number in range(64))
# Changes of a policy, which a mutating policy has, too.
_POLICIES = (
    "{}",
    *(f"{{metadata: {{name: {name}}}}}" for name in _NAMES),
    "{metadata: {namespace: x}}",
    _conditions("c", "d", "c"),
    _conditions("c", "c", "c"),
    *(
        _conditions(name)
        for name in ("a", "'a b'", "example.com/a", "Example.com/a", "a/b/c", "_a", "a_", "'1'")
    ),
    *(
        _conditions(name)
        for name in (
            f"'{'a' * 63}'",
            f"'{'a' * 64}'",
            "/a",
            "a/",
            f"{'a' * 253}/a",
            f"{'a' * 254}/a",
        )
    ),
    _conditions(*_NUMBERED),
    _conditions(*_NUMBERED, "d"),
    *(
        _rule("apiGroups", *values)
        for values in (("*",), ("*", "apps"), ("apps", "*"), ("*", "*"), ("apps", "apps"))
    ),
    *(_rule("apiVersions", *values) for values in (("*",), ("*", "v1"), ("v1", "*"))),
    *(_rule("operations", *values) for values in (("*",), ("*", "CREATE"), ("CREATE", "UPDATE"))),
    *(
        _rule("resources", *values)
        for values in (
            *(
                ("*",),
                ("*/*",),
                ("*", "pods"),
                ("*", "pods/status"),
                ("*/*", "pods"),
                ("*", "*/scale"),
            ),
            *(
                ("*/*", "*"),
                ("pods/*",),
                ("pods/*", "pods/status"),
                ("*/scale", "pods/scale"),
                ("pods/*", "pods"),
                ("pods/*", "*/scale"),
                ("pods/status", "pods/scale"),
            ),
        )
    ),
)
_VALIDATIONS = tuple(
    f"{{spec: {{validations: [{{expression: 'true', {field}}}]}}}}"
    for field in (
        *(
            'message: "a\\nb"',
            'message: "a\\n"',
            'message: "\\na"',
            'message: "a\\rb"',
            "message: a",
        ),
        *('message: "a\\u2028b"', 'message: "a\\u0085b"', "message: ''", "message: ' '"),
    )
)
_REFS = tuple(
    f"{{spec: {{paramRef: {ref}}}}}"
    for ref in (
        *("{name: a}", "{name: a, parameterNotFoundAction: Deny}", "{selector: {}}"),
        *("{name: a, parameterNotFoundAction: Allow}", "{name: a, parameterNotFoundAction: ''}"),
    )
)
_ACTIONS = tuple(
    f"{{spec: {{validationActions: {actions}}}}}"
    for actions in ("[Deny, Deny]", "[Warn, Audit]", "[Deny, Audit, Deny]", "[Audit, Audit]")
)
_EXCLUDED = f"{{spec: {{matchResources: {{excludeResourceRules: [{RULE}]}}}}}}"
_SPECS = (
    *("{metadata: {name: team.example.com}}", "{spec: {group: ''}}", "{spec: {scope: Global}}"),
    *(
        "{spec: {group: example}, metadata: {name: teams.example}}",
        "{spec: {names: {plural: teams}}}",
    ),
    *(
        "{spec: {names: {kind: Team}}}",
        "{spec: {scope: null}}",
        "{spec: {preserveUnknownFields: true}}",
    ),
    *(
        "{spec: {scope: Cluster}}",
        "{spec: {versions: []}}",
        "{spec: {preserveUnknownFields: false}}",
    ),
    "{spec: {versions: [{name: v1, served: true, storage: true}]}}",
    "{spec: {versions: [{name: v1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}]}}",
    *(
        f"{{spec: {{versions: [{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: object}}}}}}, {{name: {name}, served: true, storage: {storage}, schema: {{openAPIV3Schema: {{type: object, description: a}}}}}}]}}}}"
        for name, storage in (("v1", "false"), ("v2", "false"), ("v2", "true"))
    ),
)
_MAP = "type: array, x-kubernetes-list-type: map"
_ITEMS = "items: {type: object, properties: {a: {type: string}, l: {type: array, items: {type: string}}}, required: [a]}"
_KEYED = "x-kubernetes-list-map-keys"
# Schemas of a field.
_FIELDS = (
    *(
        f"{{type: {type_}}}"
        for type_ in (
            "string",
            "strin",
            "integer",
            "int",
            "number",
            "boolean",
            "object",
            "array",
            "'null'",
            "''",
            "any",
        )
    ),
    *(
        "{}",
        "{description: a}",
        "{x-kubernetes-preserve-unknown-fields: true}",
        "{x-kubernetes-int-or-string: true}",
    ),
    *(
        "{x-kubernetes-preserve-unknown-fields: false}",
        "{type: object, x-kubernetes-preserve-unknown-fields: false}",
    ),
    "{x-kubernetes-int-or-string: true, x-kubernetes-preserve-unknown-fields: true}",
    *(
        "{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}",
        "{anyOf: [{type: integer}, {type: string}]}",
    ),
    *(
        "{type: string, anyOf: [{type: string}]}",
        "{type: string, anyOf: [{pattern: a}]}",
        "{type: string, allOf: [{default: a}]}",
    ),
    *(
        "{type: string, not: {type: string}}",
        "{type: string, not: {pattern: a}}",
        "{type: object, properties: {a: {type: string}}, oneOf: [{required: [a]}]}",
    ),
    *(
        "{type: object, properties: {a: {type: string}}, oneOf: [{properties: {a: {type: string}}}]}",
        "{type: string, oneOf: [{nullable: true}, {description: a}]}",
    ),
    *(
        "{type: array, items: {type: string}}",
        "{type: array, items: {}}",
        "{type: array, items: [{type: string}]}",
        "{type: array, items: {type: any}}",
    ),
    *(
        "{type: object, additionalProperties: true}",
        "{type: object, additionalProperties: {type: string}}",
        "{type: object, additionalProperties: {}}",
    ),
    *(
        "{type: object, additionalProperties: {type: string}, properties: {a: {type: string}}}",
        "{type: object, additionalProperties: true, properties: {a: {type: string}}}",
    ),
    *(
        "{type: object, additionalProperties: false, properties: {a: {type: string}}}",
        "{type: object, properties: {a: {}}}",
    ),
    *(
        "{type: array, uniqueItems: true, items: {type: string}}",
        "{type: object, $ref: '#/a'}",
        "{type: object, patternProperties: {a: {type: string}}}",
    ),
    *(
        "{type: object, definitions: {a: {type: string}}}",
        "{type: string, id: a}",
        "{type: object, dependencies: {a: [b]}}",
        "{type: array, items: {type: string}, additionalItems: true}",
    ),
    *(
        f"{{type: object, x-kubernetes-map-type: {mark}}}"
        for mark in ("atomic", "granular", "set", "''")
    ),
    *(
        "{type: string, x-kubernetes-map-type: atomic}",
        "{x-kubernetes-preserve-unknown-fields: true, x-kubernetes-map-type: atomic}",
    ),
    *(
        f"{{type: array, x-kubernetes-list-type: {mark}, items: {{type: string}}}}"
        for mark in ("atomic", "set", "map", "granular", "''")
    ),
    *(
        "{type: string, x-kubernetes-list-type: set}",
        "{type: object, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a]}",
    ),
    *(
        f"{{type: array, x-kubernetes-list-type: set, items: {items}}}"
        for items in (
            "{type: object}",
            "{type: object, x-kubernetes-map-type: atomic}",
            "{type: array, items: {type: string}}",
            "{type: array, x-kubernetes-list-type: set, items: {type: string}}",
            "{type: string, nullable: true}",
        )
    ),
    *(
        f"{{{_MAP}, {_KEYED}: {keys}, {_ITEMS}}}"
        for keys in ("[a]", "[]", "[b]", "[a, a]", "[l]", "[a, b]")
    ),
    *(
        f"{{{_MAP}, {_ITEMS}}}",
        f"{{type: array, {_KEYED}: [a], {_ITEMS}}}",
        f"{{type: array, x-kubernetes-list-type: set, {_KEYED}: [a], items: {{type: string}}}}",
    ),
    f"{{{_MAP}, {_KEYED}: [a], items: {{type: string}}}}",
    *(
        f"{{{_MAP}, {_KEYED}: [a], items: {{type: object, properties: {{a: {key}}}}}}}"
        for key in (
            "{type: string}",
            "{type: string, default: x}",
            "{type: string, nullable: true, default: x}",
            "{type: integer, default: 1}",
        )
    ),
    f"{{{_MAP}, {_KEYED}: [a], items: {{type: object, nullable: true, properties: {{a: {{type: string}}}}, required: [a]}}}}",
    *(
        "{type: object, x-kubernetes-embedded-resource: true}",
        "{x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}",
    ),
    "{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}",
    # Defaults
    *(
        f"{{type: string, default: {value}}}"
        for value in ("a", "1", "null", "''", "true", "[]", "{}")
    ),
    *(
        f"{{type: integer, default: {value}}}"
        for value in ("1", "1.0", "1.5", "'1'", "true", "-1", "1e3")
    ),
    *(f"{{type: number, default: {value}}}" for value in ("1", "1.5", "'1'", "false")),
    *(f"{{type: boolean, default: {value}}}" for value in ("true", "'true'", "1")),
    *(
        f"{{x-kubernetes-int-or-string: true, default: {value}}}"
        for value in ("1", "a", "1.5", "true", "{}")
    ),
    *(f"{{type: string, enum: [a, b], default: {value}}}" for value in ("a", "c")),
    *(
        f"{{type: array, items: {{type: string}}, default: {value}}}"
        for value in ("[]", "[a]", "[1]", "{}", "[null]")
    ),
    *(
        f"{{type: object, additionalProperties: {{type: integer}}, default: {value}}}"
        for value in ("{}", "{a: 1}", "{a: x}")
    ),
    *(f"{{type: object, default: {value}}}" for value in ("{}", "{a: 1}")),
    *(
        f"{{type: object, x-kubernetes-preserve-unknown-fields: true, default: {value}}}"
        for value in ("{a: 1}", "[]")
    ),
    *(
        f"{{x-kubernetes-preserve-unknown-fields: true, default: {value}}}"
        for value in ("{a: 1}", "1", "[]")
    ),
    *(
        f"{{type: object, properties: {{a: {{type: string}}, b: {{type: integer, nullable: true, default: 1}}}}, required: [a], default: {value}}}"
        for value in (
            "{a: x}",
            "{}",
            "{a: x, c: 1}",
            "{a: x, b: null}",
            "{a: null}",
            "{a: x, b: y}",
            "{b: 1}",
        )
    ),
    "{type: object, properties: {a: {type: string, default: x}}, required: [a], default: {}}",
    "{type: object, properties: {a: {type: string, default: 1}}, default: {a: x}}",
    "{type: array, items: {type: string, default: 1}}",
    "{type: object, additionalProperties: {type: string, default: 1}}",
    "{type: object, additionalProperties: true, default: {a: 1}}",
    "{type: string, nullable: true, default: null}",
)
_ROOTS = (
    *(
        "{}",
        "{type: string}",
        "{type: array, items: {type: string}}",
        "{type: object, nullable: true}",
    ),
    *(
        "{x-kubernetes-preserve-unknown-fields: true}",
        "{type: object, x-kubernetes-preserve-unknown-fields: true}",
    ),
    *(
        "{type: object, additionalProperties: {type: string}}",
        "{type: object, additionalProperties: true}",
    ),
    *(
        f"{{type: object, properties: {{{properties}}}}}"
        for properties in (
            *(
                "metadata: {type: object}",
                "metadata: {type: object, properties: {name: {type: string, maxLength: 3}}}",
            ),
            *(
                "metadata: {type: object, properties: {labels: {type: object}}}",
                "metadata: {type: string}",
            ),
            *(
                "metadata: {type: object, default: {}}",
                "metadata: {type: object, properties: {name: {type: string, default: a}}}",
            ),
            *(
                "apiVersion: {type: string}",
                "apiVersion: {type: string, default: a}",
                "kind: {type: integer}",
                "kind: {type: string}",
            ),
        )
    ),
)


def make_documents() -> Iterator[Object]:
    """The documents, each with one change."""
    for base in (POLICY, _MUTATING):
        for changes in _POLICIES:
            yield change(base, changes)
    for base, table in (
        (POLICY, _VALIDATIONS),
        (BINDING, ("{}", *_REFS, *_ACTIONS, _EXCLUDED, *_POLICIES[1:13])),
        (MUTATING_BINDING, ("{}", *_REFS, _EXCLUDED, *_POLICIES[1:13])),
        (DEFINITION, ("{}", *_SPECS)),
    ):
        for changes in table:
            yield change(base, changes)
    for ref in _REFS:
        document = change(MUTATING_BINDING, ref)
        yield {**document, "apiVersion": "admissionregistration.k8s.io/v1alpha1"}
    for field in _FIELDS:
        yield define(
            f"{{type: object, properties: {{spec: {{type: object, properties: {{f: {field}}}}}}}}}"
        )
    for root in _ROOTS:
        yield define(root)


def define(schema: str) -> Object:
    """A definition with a schema."""
    version = f"{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: {schema}}}}}"
    return change(DEFINITION, f"{{spec: {{versions: [{version}]}}}}")


def change(document: str, changes: str) -> Object:
    """A document with other fields in metadata or spec."""
    value, changed = yaml.load(document), yaml.load(changes)
    assert isinstance(value, dict)
    assert isinstance(changed, dict)
    for key, members in changed.items():
        part = value[key]
        assert isinstance(part, dict)
        assert isinstance(members, dict)
        value[key] = {**part, **members}
    return value


def main() -> None:
    """Record the fixture."""
    rows = [{"document": document} for document in make_documents()]
    program.write(FIXTURE, program.ask_program("documents", rows, RELEASE))


if __name__ == "__main__":
    main()
