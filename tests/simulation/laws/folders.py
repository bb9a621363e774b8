"""Laws about workers of ``podgraft serve``, which share a folder that people edit by hand."""

from __future__ import annotations

from typing import Any

from simulation.plan import SETTLE_SECONDS

from .facts import OK, UNAUTHORIZED, Facts, Law, Review, find_key
from .serving import compute_bucket, find_shares
from .states import BRAKES, DENIED, POLICY, State, load

# The files are compared at most this often, plus the processor time of a review.
POLL_SECONDS = 0.2
SERVER_ERROR, NOT_FOUND = 500, 404


class FolderLaw(Law):
    """A law that compares a response with the files that were there meanwhile."""

    def __init__(self, facts: Facts, *arguments: Any) -> None:
        super().__init__(facts, *arguments)
        self.states = facts.states

    def during(self, review: Review) -> list[State]:
        """Return the states in which the review, or the last look before it, can have been."""
        begin = review.began - POLL_SECONDS
        first = max((n for n, each in enumerate(self.states) if each.time <= begin), default=0)
        return [each for each in self.states[first:] if each.time <= review.event.time]


class Loaded(FolderLaw):
    """A response comes from one policy and bundle that were in the folder, or says why not."""

    name = "1 one version"

    def see_review(self, review: Review) -> None:
        facts = review.event.facts
        if review.code != OK or not facts["policy"]:
            return
        found = (review.track, facts["policy"], facts["bundle"])
        states = self.states if review.is_marked else self.during(review)
        if not any(found in each.pairs() for each in states):
            self.violate(f"{review}; the folder did not have {found}")


class Available(FolderLaw):
    """A worker that has responded goes on while its files are away or invalid."""

    name = "4 last known good version"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._answered: set[tuple[str, str]] = set()

    def see_review(self, review: Review) -> None:
        if review.code == OK:
            self._answered.add((review.env, review.cluster))
        is_error = review.code >= SERVER_ERROR or review.code == NOT_FOUND
        is_error = is_error and review.event.facts["verb"] == "review"
        if not is_error or (review.env, review.cluster) not in self._answered:
            return
        if not any(each.files.get(DENIED) for each in self.states):
            self.violate(f"{review}; it had a loaded version: {review.event.facts.get('_body')}")


class Denied(FolderLaw):
    """No worker responds with a denied bundle, and with an invalid list it says so."""

    name = "7 deny list"

    def see_review(self, review: Review) -> None:
        facts, states = review.event.facts, self.during(review)
        if review.code != OK or not facts["policy"] or any(each.is_lost for each in states):
            return
        digest = facts["audit"].get("bundle", "")
        texts = [each.files.get(DENIED, "") for each in states]
        if all(digest in text for text in texts):
            self.violate(f"{review}; its bundle is denied")
        if all(text.startswith("# broken") for text in texts) and not review.is_marked:
            self.violate(f"{review}; the deny list is invalid, and nothing says so")


class Braked(FolderLaw):
    """No candidate responds while a brake is in the folder."""

    name = "9 brakes"

    def see_review(self, review: Review) -> None:
        states = self.during(review)
        if review.code != OK or review.track != "candidate" or any(s.is_lost for s in states):
            return
        if all(self._stops(each) for each in states):
            self.violate(f"{review}; the folder has a brake")

    def _stops(self, state: State) -> bool:
        rollout = state.rollout.get("id")
        for text in (state.files[each] for each in BRAKES if each in state.files):
            id_ = load(text).get("id")
            if not isinstance(id_, str) or id_ in {"*", rollout}:
                return True
        return False


class Shares(FolderLaw):
    """The track is that of the documented hash."""

    name = "11 tracks"

    def see_review(self, review: Review) -> None:
        facts = review.event.facts
        if review.code != OK or review.track != "candidate":
            return
        cluster, workload = review.cluster, f"Deployment/web-{facts['pod']}"
        rollouts = [each.rollout for each in self.states]
        if not any(
            each.get("mode") == "share"
            and compute_bucket(each["id"], cluster, workload, facts["namespace"])
            < max(find_shares(each, cluster)) * 100
            for each in rollouts
        ):
            self.violate(f"{review}; no rollout selects it")


class Credentials(FolderLaw):
    """Exactly the credentials in the folder are accepted."""

    name = "14 authentication"

    def see_review(self, review: Review) -> None:
        key = find_key(review.event.facts["_token"])
        has = [any(key in text for text in _auth(each)) for each in self.during(review)]
        if review.code == OK and not any(has) and not review.is_marked:
            self.violate(f"{review}; its credential is in no file")
        texts = [text for each in self.during(review) for text in _auth(each)]
        is_refused = review.code == UNAUTHORIZED and not review.is_expired
        if is_refused and all(has) and all(map(load, texts)):
            self.violate(f"{review}; its credential is in a file")


def _auth(state: State) -> list[str]:
    return [text for name, text in state.files.items() if name.startswith("auth/")]


class SettledFolder(FolderLaw):
    """After the last change, every worker serves what is in the folder, without a mark."""

    name = "33 convergence"

    def see_review(self, review: Review) -> None:
        state, facts = self.states[-1], review.event.facts
        if facts["verb"] != "review" or review.is_expired or review.env == "gateway":
            return
        settled = max(self.facts.plan.heal + SETTLE_SECONDS + 20, state.time + 10)
        is_valid = self.facts.has_valid_callers(review.began)
        if review.began < settled or review.code == 0 or not is_valid:
            return
        texts = [*_auth(state), state.files.get(DENIED, ""), state.files.get(POLICY, "")]
        is_valid = state.policy.get("policy") == "enabled" and "# broken" not in "".join(texts)
        if not is_valid or state.files.get(DENIED) or "proxy:x" in "".join(state.files.values()):
            return
        key = find_key(facts["_token"])
        if not any(key in text for text in _auth(state)):
            return
        body = str(facts.get("_body"))
        if "sign it for a later version" in body:  # a signed version returned, which is refused
            return
        if "simulation/policy" in state.files[POLICY] and (review.code != OK or review.is_marked):
            self.violate(f"{review}; the folder is valid: {body}")


LAWS: tuple[type[Law], ...] = (
    Loaded, Available, Denied, Braked, Shares, Credentials, SettledFolder,
)  # fmt: skip
