"""The release that a configuration follows: the policy's, the tag's, the template's, the newest."""

import pytest

from podgraft.base.jsonvalue import JSON
from podgraft.core.injectors import istio
from podgraft.core.injectors.errors import InvalidDocumentsError, OperatorError
from podgraft.core.review_context import ReviewContext
from podgraft.kube import yaml

OLD = "containers: [{name: istio-proxy, image: '[[ index .ObjectMeta.Labels `a` ]]'}]"
BRACES = "containers: [{name: istio-proxy, image: '{{ .ObjectMeta.Name }}'}]"
CURRENT: dict[str, JSON] = {"sidecar": "spec: {containers: [{name: istio-proxy}]}"}
MARKER = "{{ Template_Version_And_Istio_Version_Mismatched_Check_Installation }}"


def injector(release: str | None, tag: str, **config: JSON) -> istio.Injector:
    values = yaml.dump({"global": {"tag": tag}})
    documents = istio.Documents(config=yaml.dump({"policy": "enabled", **config}), values=values)
    return istio.compile_(documents, istio.IstiodEnvironment(release=release))


CASES = (
    # policy's release, tag, template, minor
    (None, "latest", OLD, 0),
    (None, "", BRACES, 8),
    (None, "", "containers: []", 8),
    (None, "1.8.6", OLD, 8),
    ("1.8", "1.0.9", OLD, 8),
    ("1.0", "latest", BRACES, 0),
)


@pytest.mark.parametrize(("release", "tag", "template", "minor"), CASES)
def test_key_template_determines_its_release(
    release: str | None, tag: str, template: str, minor: int
) -> None:
    assert injector(release, tag, template=template).profile.minor == minor


def test_templates_use_the_newest_release_without_a_tag() -> None:
    newest = injector(None, "latest", templates=CURRENT).profile
    assert injector(None, "", templates=CURRENT, template=MARKER).profile is newest
    assert injector(None, "1.20.8", templates=CURRENT).profile.minor == 20


MISSING: tuple[tuple[str, dict[str, JSON], str, str], ...] = (
    ("1.30", {}, "/templates", "use key config of ConfigMap istio-sidecar-injector"),
    ("1.30", {"template": BRACES}, "/templates", '(or --istio-release) to "1.8"'),
    ("1.8", {}, "/template", "use key config of ConfigMap istio-sidecar-injector"),
    ("1.8", {"templates": CURRENT}, "/template", '(or --istio-release) to "1.9"'),
)


@pytest.mark.parametrize(("release", "config", "path", "remedy"), MISSING)
def test_a_configuration_without_a_template_for_its_release_is_a_warning(
    release: str, config: dict[str, JSON], path: str, remedy: str
) -> None:
    """Istio loads it; ``policy check`` refuses it, and names release and key."""
    (warning,) = injector(release, "", **config).config.warnings
    assert (warning.document, warning.pointer) == ("config", path)
    assert remedy in warning.remedy


def test_the_template_that_earlier_releases_fail_to_parse_is_explained() -> None:
    with pytest.raises(InvalidDocumentsError) as caught:
        injector("1.8", "", templates=CURRENT, template=MARKER)
    (fault,) = caught.value.errors
    assert fault.pointer == "/template"
    assert 'to "1.9"' in fault.remedy


def test_a_pod_without_templates_gets_an_error_with_the_remedy() -> None:
    pod: dict[str, JSON] = {"metadata": {"name": "a"}, "spec": {"containers": [{"name": "a"}]}}
    with pytest.raises(OperatorError) as caught:
        injector("1.30", "").inject(pod, ReviewContext())
    assert str(caught.value).startswith(
        'requested template "sidecar" not found; have no templates: the configuration has no key '
        "templates, which Istio 1.9 and later read; "
    )
