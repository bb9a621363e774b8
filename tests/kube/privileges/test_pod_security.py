"""The Pod Security Standards, compared with k8s.io/pod-security-admission (oracle/podsecurity)."""

from collections import Counter

import pytest

from oracle import program
from oracle.podsecurity.record import FIXTURE
from podgraft.base.jsonvalue import Object, object_at
from podgraft.kube.privileges import find_added
from podgraft.kube.privileges.pod_security import Level, find_violations

ROWS = program.load_rows(FIXTURE)


def find_checks(pod: Object, level: Level) -> list[str]:
    violations = find_violations(object_at(pod, "metadata"), object_at(pod, "spec"), level)
    return sorted({violation.check for violation in violations})


@pytest.mark.parametrize("level", Level)
def test_the_violations_are_those_of_the_admission_plugin(level: Level) -> None:
    differences = [
        (row["pod"], row[level], checks)
        for row in ROWS
        if (checks := find_checks(row["pod"], level)) != row[level]
    ]
    assert differences == []


def test_every_check_is_in_the_fixture_often_enough() -> None:
    counts = Counter(check for row in ROWS for check in row[Level.RESTRICTED])
    counts.update(check for row in ROWS for check in row[Level.BASELINE])
    assert len(counts) == 19
    assert min(counts.values()) >= 10


def test_each_violation_of_baseline_is_a_privilege() -> None:
    """If injection adds everything, each violation of a container or of the pod needs a name.

    The plugin also rejects settings of the pod that every container overrides.
    """
    before: Object = {"kind": "Pod", "metadata": {"name": "p"}, "spec": {}}
    of_pod = {"hostNamespaces", "hostPathVolumes", "sysctls"}
    missed = [
        violation
        for row in ROWS
        for violation in find_violations(
            object_at(row["pod"], "metadata"), object_at(row["pod"], "spec"), Level.BASELINE
        )
        if (violation.container or violation.check in of_pod)
        and violation.container not in {each.container for each in find_added(before, row["pod"])}
    ]
    assert missed == []


def test_a_violation_names_container_problem_and_remedy() -> None:
    spec: Object = {
        "hostPID": True,
        "containers": [{"name": "web", "securityContext": {"privileged": True}}],
    }
    assert [*map(str, find_violations({}, spec, Level.BASELINE))] == [
        (
            "Violation(check='hostNamespaces', container='', problem='uses hostPID', "
            "remedy='set hostPID to false')"
        ),
        (
            "Violation(check='privileged', container='web', problem='is privileged', "
            "remedy='set securityContext.privileged to false')"
        ),
    ]


def test_a_setting_of_another_type_is_a_violation() -> None:
    spec: Object = {"containers": [{"name": "app", "securityContext": {"procMount": ["Default"]}}]}
    found = find_violations({}, spec, Level.BASELINE)
    assert [(each.check, each.container) for each in found] == [("procMount", "app")]
