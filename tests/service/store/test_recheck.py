"""A cold start parses no template: a review that fails has the version checked completely."""

from podgraft.core import review
from podgraft.core.review.results import ReviewFailure, ReviewResponse
from podgraft.core.review_context import ReviewContext
from podgraft.kube import admission
from podgraft.service.store.aws.store import CachedStore
from service.store.test_earlier_versions import Cloud, named, of
from support.recorded_requests import load_request
from support.store_fixture import BUNDLE, CONFIG

UNPARSED = {**BUNDLE, "injector.yaml": CONFIG.replace("Name }}", "Name ").encode()}


def injected(store: CachedStore) -> ReviewResponse | ReviewFailure:
    request = admission.decode(load_request("03-kubectl-run").body)
    return review.inject(ReviewContext(injector="istio").with_request(request), store)


def test_a_review_that_fails_by_an_invalid_template_is_answered_by_the_version_before() -> None:
    cloud = Cloud()
    cloud.put(named("1"), f"bundle: {cloud.upload(UNPARSED)}\n")
    store = cloud.store(deferred=True)
    assert of(cloud, store).policy_version == "2"
    for _ in range(2):
        answered = injected(store)
        assert isinstance(answered, ReviewResponse)
        assert (answered.record.decision, answered.record.policy_version) == ("inject", "1")
        assert answered.record.refused
        assert "instead of version 2" in answered.response.audit["stale"]


def test_several_invalid_versions_are_refused_by_one_review() -> None:
    cloud = Cloud()
    broken = cloud.upload(UNPARSED)
    cloud.put(named("1"), *(f"bundle: {broken}\nrevision: r{n}\n" for n in range(3)))
    answered = injected(cloud.store(deferred=True))
    assert isinstance(answered, ReviewResponse)
    assert answered.record.policy_version == "1"


def test_a_version_that_is_valid_is_checked_once_however_many_reviews_fail() -> None:
    cloud = Cloud()
    # It works for every probe pod: a version that does not is refused.
    name = '{{ if eq (index .Spec.Containers 0).Name "web" }}{{ fail "on purpose" }}{{ end }}'
    failing = CONFIG.replace("{{ .DeploymentMeta.Name }}", name).encode()
    cloud.put(named("1"), f"bundle: {cloud.upload({**BUNDLE, 'injector.yaml': failing})}\n")
    store = cloud.store(deferred=True)
    for _ in range(3):
        assert isinstance(injected(store), ReviewFailure)
    assert cloud.requests == ["policy", "bundle", "bundle"]
    assert of(cloud, store).policy_version == "2"
