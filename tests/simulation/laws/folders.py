"""Laws about workers of ``podgraft serve``, which share a folder that people edit by hand."""

from __future__ import annotations

from typing import Any

from simulation.ledger import Event
from simulation.names import INJECTOR

from .facts import OK, UNAUTHORIZED, Facts, identify_credential
from .law import Law, Review
from .serving import find_selection
from .states import BRAKES, DENIED, POLICY, State, load, stops

# The files are compared at most this often, plus the processor time of a review.
POLL_SECONDS = 0.2
CALM_SECONDS = 10.0  # after a change, until all workers have read it
SERVER_ERROR, NOT_FOUND = 500, 404
SUBJECT = f"folder:{INJECTOR}"  # of signatures


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

    name = "1 one version of a folder"

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

    name = "4 last known good version of a folder"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._answered: set[tuple[str, str, str]] = set()

    def see(self, event: Event) -> None:
        """Forget credentials that others replaced, which load."""
        name, _, cluster = str(event.facts.get("name", "")).removesuffix(".yaml").partition("/")
        text = event.facts["_text"] if event.kind == "file" and name == "auth" else None
        if text and any(load(text).get(each) for each in ("tokens", "subjects")):
            self._answered = {a for a in self._answered if a[1] != cluster or a[2] in text}

    def see_review(self, review: Review) -> None:
        key = identify_credential(review.event.facts["_token"])
        own = review.env, review.cluster, key
        if review.code == OK:
            self._answered.add(own)
        if review.code == UNAUTHORIZED:  # callers that load, and refuse the cluster
            self._answered = {each for each in self._answered if each[1] != review.cluster}
        is_error = review.code >= SERVER_ERROR or review.code == NOT_FOUND
        is_error = is_error and review.event.facts["verb"] == "review"
        if not is_error or own not in self._answered:
            return
        if not any(each.files.get(DENIED) for each in self.states):
            self.violate(f"{review}; it had a loaded version: {review.event.facts.get('_body')}")


class Denied(FolderLaw):
    """No worker responds with a denied bundle, and with an invalid list it says so."""

    name = "7 deny list of a folder"

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

    name = "9 brakes of a folder"

    def see_review(self, review: Review) -> None:
        states = self.during(review)
        if review.code != OK or review.track != "candidate" or any(s.is_lost for s in states):
            return
        if all(
            any(stops(each.files.get(name), each.rollout.get("id")) for name in BRAKES)
            for each in states
        ):
            self.violate(f"{review}; the folder has a brake")


class Shares(FolderLaw):
    """The track is that of the documented hash."""

    name = "11 tracks of a folder"

    def see_review(self, review: Review) -> None:
        if review.code != OK or review.track != "candidate":
            return
        states = self.states if review.is_marked else self.during(review)
        rollouts = [each.rollout for each in states if each.rollout.get("mode") == "share"]
        if not any(find_selection(each, review)[1] for each in rollouts):
            self.violate(f"{review}; no rollout selects it")


class Signed(FolderLaw):
    """With a public key, KMS signed the policy that responds, for the bundle that responds."""

    name = "8 signatures of a folder"

    def see_review(self, review: Review) -> None:
        facts = review.event.facts
        if not self.facts.signs or review.code != OK or not facts["policy"]:
            return
        signers = self.facts.reader(review.env).signers
        # The text names the bundle of a candidate.
        digest = "" if review.track == "candidate" else facts["audit"].get("bundle", "")
        texts = {
            each.files.get(POLICY, "")
            for each in self.states
            if facts["policy"] in {tag for _, tag, _ in each.pairs()}
        }
        if not any(
            self.facts.find_number(SUBJECT, each, digest, signers)
            or not self.facts.needs_signature(each)
            for each in texts
        ):
            self.violate(f"{review}; no signature is for this policy and bundle")


class Credentials(FolderLaw):
    """Exactly the credentials in the folder are accepted."""

    name = "14 authentication of a folder"

    def see_review(self, review: Review) -> None:
        key = identify_credential(review.event.facts["_token"])
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
    """Some seconds after a change, every worker serves what is in the folder, without a mark."""

    name = "33 convergence of a folder"

    def see_review(self, review: Review) -> None:
        state, facts = self.states[-1], review.event.facts
        if facts["verb"] != "review" or review.is_expired or review.env == "gateway":
            return
        is_calm = review.began >= state.time + CALM_SECONDS and not state.is_lost
        is_valid = self.facts.has_valid_callers(review.began)
        if not is_calm or review.code == 0 or not is_valid or not state.is_readable:
            return
        texts = [*_auth(state), state.files.get(DENIED, ""), state.files.get(POLICY, "")]
        is_valid = state.policy.get("policy") == "enabled" and "# broken" not in "".join(texts)
        if not is_valid or state.files.get(DENIED) or "proxy:x" in "".join(state.files.values()):
            return
        key = identify_credential(facts["_token"])
        if not any(key in text for text in _auth(state)):
            return
        if not self._is_trusted(review):
            return
        if "simulation/policy" in state.files[POLICY] and (review.code != OK or review.is_marked):
            self.violate(f"{review}; the folder is valid: {facts.get('_body')}")

    def _is_trusted(self, review: Review) -> bool:
        """Whether the policy needs no signature, or has one for the newest of all numbers."""
        if not self.facts.needs_signature(self.states[-1].files[POLICY]):
            return True
        signers = self.facts.reader(review.env).signers
        *earlier, number = (
            self.facts.find_number(SUBJECT, each.files.get(POLICY, ""), each.digest, signers)
            for each in self.states
        )
        return number > 0 and number >= max(earlier, default=0)


LAWS: tuple[type[Law], ...] = (
    Loaded, Available, Denied, Braked, Shares, Signed, Credentials, SettledFolder,
)  # fmt: skip
