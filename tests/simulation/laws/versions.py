"""Laws about the version that responds: one, fresh, marked, verified, not denied, signed."""

from __future__ import annotations

from .facts import BOUND_SECONDS, DENIED, MAX_AGE_SECONDS, OK, StoredPolicy
from .law import Law, Review
from .states import as_object


class OneVersion(Law):
    """A response comes from one version: patch, audit annotations, and log agree."""

    name = "1 one version"

    def see_review(self, review: Review) -> None:
        facts = review.event.facts
        if review.code != OK or not facts["allowed"]:
            return
        if facts["audit"].get("reason") == "policy-unknown":  # a hand edit, which injects no pod
            return
        # Each policy injects no pod web-1 in the group, and all others; ``Overridden`` has c0.
        in_group = "ring-1" in (facts["log"].get("groups") or "").split(",")
        is_excluded = in_group and facts["pod"] == 1
        if review.cluster != "c0" and bool(facts["policy"]) == is_excluded:
            self.violate(f"{review}; it has the configuration of another cluster")
        if not facts["policy"]:
            return
        version = self.facts.find_version(review.version, facts["policy"])
        if version is None:
            self.violate(f"{review}; no such version was stored")
            return
        fields = version.describe(review.track)
        expected = fields.get("injectedAnnotations", {}).get("simulation/policy")
        if facts["policy"] != expected:
            self.violate(f"{review}; version {version.number} has the policy {expected}")
        digest = facts["audit"].get("bundle", "")
        if digest != fields.get("bundle"):
            self.violate(f"{review}; version {version.number} names bundle {fields.get('bundle')}")
        tag = self.facts.bundle_tags.setdefault(digest, facts["bundle"])
        if tag != facts["bundle"]:
            self.violate(f"{review}; its digest is that of {tag}")
        if str(facts["log"].get("policy_version")) != str(review.version):
            self.violate(f"{review}; its log line has {facts['log']}")


class Overridden(Law):
    """A response has the overrides of its version, also if they are in a bundle beside it."""

    name = "1 overrides"

    def see_review(self, review: Review) -> None:
        facts = review.event.facts
        if review.code != OK or not facts["allowed"] or review.cluster != "c0":
            return
        if facts["audit"].get("reason") == "policy-unknown":
            return
        versions = self.facts.find_versions(review.version, facts["policy"])
        fates = {_excludes(each, f"web-{facts['pod']}") for each in versions}
        if fates == {bool(facts["policy"])}:
            self.violate(f"{review}; it has other overrides than its version")


def _excludes(version: StoredPolicy, app: str) -> bool:
    """Whether a version does not inject a workload in the cluster c0."""
    own = as_object(as_object(version.fields.get("clusters")).get("c0"))
    return {"matchLabels": {"app": app}} in own.get("neverInjectSelector", [])


class Grouped(Law):
    """A response has the groups of its cluster: those of the registry that was read last."""

    name = "12 groups"

    def see_review(self, review: Review) -> None:
        facts, reader = review.event.facts, self.facts.reader(review.env)
        version = self.facts.find_version(review.version, "") if review.code == OK else None
        is_known = version is not None and "groups" in version.fields
        if not is_known or review.is_marked or not reader.credentials_is_current:
            return
        expected = ",".join(self.facts.find_groups(reader, review.cluster))
        if (facts["log"].get("groups") or "") != expected:
            self.violate(f"{review}; its cluster has the groups {expected!r}")


class Freshness(Law):
    """Without a mark, the version is the one read last, and was the newest within the bound."""

    name = "2 freshness"

    def see_review(self, review: Review) -> None:
        facts = review.event.facts
        if review.code != OK or not facts["policy"]:
            return
        unconfirmed = review.began - self.facts.reader(review.env).policy_time
        if unconfirmed > MAX_AGE_SECONDS:
            self.violate(f"{review}; it last read a policy {unconfirmed / 3600:.1f} h before")
        if review.is_marked_policy:
            return
        version = self.facts.find_version(review.version, facts["policy"])
        reader = self.facts.reader(review.env)
        if reader.certain and not reader.failed and reader.policy not in {0, review.version}:
            self.violate(f"{review}; it had read version {reader.policy}")
        if version is None or version.ended is None:
            return
        age = review.began - version.ended
        if age > BOUND_SECONDS:
            self.violate(f"{review}; it was replaced {age:.1f} s before")


class Marks(Law):
    """After a failed read, a response is marked."""

    name = "3 marks"

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # pyright: ignore[reportArgumentType]
        self._failures: dict[str, int] = {}

    def see_review(self, review: Review) -> None:
        reader = self.facts.reader(review.env)
        failures, self._failures[review.env] = self._failures.get(review.env, 0), reader.failures
        if review.code != OK or review.is_marked_policy:
            return
        if reader.failed and reader.failures > failures:
            self.violate(f"{review}; the read of the policy failed, and nothing says so")


class Verified(Law):
    """A version in force parses, and its bundle has the content that its digest promises."""

    name = "6 verified versions"

    def see_review(self, review: Review) -> None:
        facts = review.event.facts
        if review.code != OK or not facts["policy"]:
            return
        version = self.facts.find_version(review.version, facts["policy"])
        if "x" in facts["bundle"]:
            self.violate(f"{review}; the bundle is damaged")
        if version is not None and version.is_broken:
            self.violate(f"{review}; the version is broken")


class Denied(Law):
    """After an environment read a deny list, it does not respond with a denied bundle."""

    name = "7 deny list"

    def see_review(self, review: Review) -> None:
        facts = review.event.facts
        if review.code != OK or not facts["policy"]:
            return
        digest = facts["audit"].get("bundle", "")
        reader = self.facts.reader(review.env)
        text = reader.texts.get(DENIED, "")
        if not reader.certain:
            return
        version = self.facts.find_version(review.version, facts["policy"])
        if digest in text or (version and version.overrides and version.overrides in text):
            self.violate(f"{review}; the environment has read that the bundle is denied")
        if text.startswith("# broken") and not review.is_marked:
            self.violate(f"{review}; the deny list is invalid, and nothing says so")


class Signed(Law):
    """With RequireSignature, KMS signed exactly this name, number, digest, and text."""

    name = "8 signatures"

    def see_review(self, review: Review) -> None:
        facts = review.event.facts
        if not self.facts.signs or review.code != OK or not facts["policy"]:
            return
        signers = self.facts.reader(review.env).signers
        versions = self.facts.find_versions(review.version, facts["policy"])
        if not review.is_marked:  # of an earlier parameter with this name
            versions = versions[-1:]
        if versions and not any(
            self.facts.is_trusted(each, str(each.fields.get("bundle")), signers)
            for each in versions
        ):
            self.violate(f"{review}; no signature is for this version")


LAWS: tuple[type[Law], ...] = (
    OneVersion,
    Overridden,
    Grouped,
    Freshness,
    Marks,
    Verified,
    Denied,
    Signed,
)
