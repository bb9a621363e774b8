"""The test document: the parsed form of a file of ``podgraft test``."""

import re
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from podgraft.base.jsonvalue import JSON, Object
from podgraft.cli.request_fields import RequestFields
from podgraft.core import policy as policies
from podgraft.core.review.results import ReviewReason
from podgraft.kube.admission import Operation
from podgraft.kube.document_reader import (
    Cursor,
    MappingReader,
    describe_choices,
    format_value,
    make_list_parser,
    make_text_parser,
    parse_bool,
    parse_mapping,
    parse_string,
    parse_string_map,
    parse_strings,
)
from podgraft.service.paths import ROUTES

API_VERSION = "podgraft.dev/v1"
KIND = "Test"
# The reasons of reviews, as audit annotations and logs have them.
REASONS: tuple[str, ...] = (*map(str, policies.Reason), *map(str, ReviewReason))
# The outcomes that a test can expect: those of explain, and each that kube-apiserver allows.
ALLOWED = "allowed"
OUTCOMES = ("injected", "changed", "skipped", ALLOWED, "denied", "failed", "not reviewed")


class ExpectedValue(Struct, frozen=True, kw_only=True):
    """A value of the document, or the ``file`` that contains it."""

    pointer: str
    file: str = ""
    value: JSON = None


class PodExpectation(Struct, frozen=True, kw_only=True):
    """The expectations for the pod that the controller of a workload creates."""

    contains: ExpectedValue | None = None
    result: ExpectedValue | None = None
    patch: ExpectedValue | None = None


class Expectation(Struct, frozen=True, kw_only=True):
    """The expectations of one test; those that are not set are not checked.

    ``message`` is a part of the message of a denial or a failure. ``warnings`` are parts of all
    warnings; an empty tuple expects none.
    """

    outcome: str = ""
    reason: str = ""
    message: str = ""
    warnings: tuple[str, ...] | None = None
    contains: ExpectedValue | None = None
    result: ExpectedValue | None = None
    patch: ExpectedValue | None = None
    responses: ExpectedValue | None = None
    pod: PodExpectation | None = None


class Settings(Struct, frozen=True, kw_only=True):
    """The settings of a test: the calling clusters, the releases, and the URL of the webhook.

    ``None`` means that the test does not set a value, so that of the file applies.
    """

    namespace: str | None = None
    namespace_labels: Mapping[str, str] | None = None
    clusters: tuple[str, ...] | None = None
    releases: tuple[str, ...] | None = None
    istio_cluster_id: str | None = None
    network: str | None = None
    env: Mapping[str, str] | None = None
    routes: tuple[str, ...] | None = None
    webhook_config: str | None = None
    injector: str | None = None


class PolicyTest(Struct, frozen=True, kw_only=True):
    """One test: an object, the request for it, and the expected result.

    Either ``file`` with ``select``, or ``object`` contains the object.
    """

    name: str
    expectation: Expectation
    settings: Settings
    file: str = ""
    select: str = ""
    object: Object | None = None
    old_object: ExpectedValue | None = None
    fields: RequestFields = RequestFields()


class PolicyTestFile(Struct, frozen=True, kw_only=True):
    """One document of a file; ``bundle`` and ``policy`` are relative to the file."""

    path: Path
    bundle: str | None = None
    policy: str | None = None
    settings: Settings = Settings()
    tests: tuple[PolicyTest, ...] = ()


def parse_document(cursor: Cursor, path: Path) -> PolicyTestFile:
    """Parse a document; the cursor collects all errors."""
    keys = MappingReader(cursor)
    _check_type(cursor, keys)
    keys.read_key("metadata", lambda child: child.entries())
    bundle = keys.read_key("bundle", _parse_path)
    policy = keys.read_key("policy", _parse_path)
    settings = _read_settings(keys)
    tests = keys.read_key("tests", _parse_tests)
    keys.check_unknown_keys()
    if not tests and not cursor.diagnostics.errors:
        cursor.add_key_error("tests", "is missing or empty", "write at least one test")
    return PolicyTestFile(
        path=path, bundle=bundle, policy=policy, settings=settings, tests=tests or ()
    )


def _check_type(cursor: Cursor, keys: MappingReader) -> None:
    expected = {"apiVersion": API_VERSION, "kind": KIND}
    for key, value in expected.items():
        actual = keys.read_key(key, parse_string)
        if actual != value:
            problem = f"got {format_value(actual)}" if actual else "is missing"
            cursor.add_key_error(key, problem, f"write {key}: {value}")


def _read_settings(keys: MappingReader) -> Settings:
    return Settings(
        namespace=keys.read_key("namespace", parse_string),
        namespace_labels=keys.read_key("namespaceLabels", parse_string_map),
        clusters=keys.read_key("clusters", parse_strings),
        releases=keys.read_key("releases", parse_strings),
        istio_cluster_id=keys.read_key("istioClusterId", parse_string),
        network=keys.read_key("network", parse_string),
        env=keys.read_key("env", parse_string_map),
        routes=keys.read_key("routes", _parse_routes),
        webhook_config=keys.read_key("webhookConfig", _parse_path),
        injector=keys.read_key("injector", parse_string),
    )


def _parse_tests(cursor: Cursor) -> tuple[PolicyTest, ...] | None:
    items = cursor.items()
    if items is None:
        return None
    tests: dict[str, PolicyTest] = {}
    for item in items:
        test = _parse_test(item)
        if test.name in tests:
            item.add_key_error("name", "is a duplicate", "use another name")
        tests.setdefault(test.name, test)
    return tuple(tests.values())


def _parse_test(cursor: Cursor) -> PolicyTest:
    keys = MappingReader(cursor)
    name = keys.read_text("name")
    file = keys.read_key("file", _parse_path) or ""
    select = keys.read_key("select", _parse_select) or ""
    value = keys.read_key("object", parse_mapping)
    old_object = keys.read_key("oldObject", _parse_mapping_or_path)
    fields = _read_fields(keys)
    settings = _read_settings(keys)
    expectation = keys.read_key("expect", _parse_expectation)
    keys.check_unknown_keys()
    if isinstance(cursor.value, dict):
        _check_required(cursor, expectation, name)
        _check_object(cursor, file, select, value)
    return PolicyTest(
        name=name,
        file=file,
        select=select,
        object=value,
        old_object=old_object,
        fields=fields,
        settings=settings,
        expectation=expectation or Expectation(),
    )


def _check_required(cursor: Cursor, expectation: Expectation | None, name: str) -> None:
    if not name:
        cursor.add_key_error("name", "is missing", "write a name, unique in the file")
    if not isinstance(cursor.value, dict) or cursor.value.get("expect") is None:
        remedy = f"write outcome: {', '.join(OUTCOMES)}, or another expectation"
        cursor.add_key_error("expect", "is missing", remedy)
    elif expectation == Expectation():
        cursor.add_key_error("expect", "is empty", "write at least one expectation")


def _check_object(cursor: Cursor, file: str, select: str, value: Object | None) -> None:
    mapping = cursor.value if isinstance(cursor.value, dict) else {}
    has_both = mapping.get("file") is not None and mapping.get("object") is not None
    if has_both or not (mapping.get("file") or mapping.get("object")):
        problem = "has both file and object" if has_both else "has neither file nor object"
        cursor.add_error(problem, "write one of them")
    elif select and not file and value is not None:
        cursor.add_key_error("select", "selects an object of a file", "remove it")


def _read_fields(keys: MappingReader) -> RequestFields:
    return RequestFields(
        operation=keys.read_choice("operation", Operation) or Operation.CREATE,
        user=keys.read_key("user", parse_mapping) or {},
        sub_resource=keys.read_text("subResource"),
        dry_run=keys.read_key("dryRun", parse_bool) or False,
    )


def _parse_expectation(cursor: Cursor) -> Expectation:
    keys = MappingReader(cursor)
    expectation = Expectation(
        outcome=keys.read_choice("outcome", OUTCOMES) or "",
        reason=keys.read_choice("reason", REASONS) or "",
        message=keys.read_text("message"),
        warnings=keys.read_key("warnings", parse_strings),
        contains=keys.read_key("contains", _parse_mapping_or_path),
        result=keys.read_key("result", _parse_mapping_or_path),
        patch=keys.read_key("patch", _parse_patch),
        responses=keys.read_key("responses", _parse_mapping_or_path),
        pod=keys.read_key("pod", _parse_pod),
    )
    keys.check_unknown_keys()
    return expectation


def _parse_pod(cursor: Cursor) -> PodExpectation:
    keys = MappingReader(cursor)
    pod = PodExpectation(
        contains=keys.read_key("contains", _parse_mapping_or_path),
        result=keys.read_key("result", _parse_mapping_or_path),
        patch=keys.read_key("patch", _parse_patch),
    )
    keys.check_unknown_keys()
    if isinstance(cursor.value, dict) and pod == PodExpectation():
        cursor.add_error("is empty", "write contains, result, or patch")
    return pod


def _parse_path(cursor: Cursor) -> str | None:
    if isinstance(cursor.value, str) and not cursor.value:
        return cursor.add_error("is empty", "write the path of a file, relative to this file")
    return parse_string(cursor)


_parse_select = make_text_parser(re.compile(r"/*[^/]+/+[^/]+/*").fullmatch, "write kind/name")


def _parse_mapping_or_path(cursor: Cursor) -> ExpectedValue | None:
    return _parse_value(cursor, dict, "a mapping")


def _parse_patch(cursor: Cursor) -> ExpectedValue | None:
    return _parse_value(cursor, list, "a list of operations")


def _parse_value(cursor: Cursor, expected: type, words: str) -> ExpectedValue | None:
    value: JSON = cursor.value
    if isinstance(value, str) and value:
        return ExpectedValue(pointer=cursor.pointer, file=value)
    if isinstance(value, expected):
        return ExpectedValue(pointer=cursor.pointer, value=value)
    return cursor.add_error(f"is neither {words} nor the path of a file", "write one of them")


def _parse_routes(cursor: Cursor) -> tuple[str, ...] | None:
    if cursor.value == []:
        return cursor.add_error("is empty", f"write some of {', '.join(ROUTES)}")
    return _parse_route_list(cursor)


_parse_route_list = make_list_parser(
    make_text_parser(ROUTES.__contains__, describe_choices(ROUTES))
)
