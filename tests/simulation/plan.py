"""The plan of a run: what the weather, people, clusters, and Lambda do. It follows from the seed.

A plan is data. The shrinker removes parts of it, and a file with a plan repeats a run after the
generator has changed.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from .choices import GOLDEN, LINKS, MISTAKES, SOURCES, VERBS, choose_bundle, choose_disk
from .dice import Dice

REFRESH_SECONDS = 30
LONG_SECONDS = (88_000.0, 110_000.0)  # an outage of more than a day
START_SECONDS = 1_800_000_000.0  # of the world's wall clock: 15 January 2027, 08:00 UTC
BEGIN_SECONDS = 120.0  # the first policy, and the tokens, exist before
MAX_REVIEWS, MOST_OF_THEM = 40, 28  # without and with workloads
CLEANUP_SECONDS = 240.0  # before the end
PAIRS = 3  # of pushes at the same time
LAST_SHIFT_SECONDS = 700.0  # before the healing
BUSY_SECONDS, BUSY_PAUSE_SECONDS = 510.0, 20.0
BUSY, PROCESSOR, SLOW_SECONDS = "busy", "processor", 2.5  # a window, its service, a review's cost
ADOPT_SECONDS = 60.0  # after a rotation, so environments have read a later version
SETTLE_SECONDS = 150.0  # after the healing, people repair what is broken
# The first token of each second cluster ends with the first day, or with the second.
EXPIRIES = (16 * 3600.0, 40 * 3600.0)
EXPIRY_DATES = ("2027-01-15", "2027-01-16")

FEATURES = (
    "signatures", "rollout", "tokens", "deny", "hands", "prune", "race", "lag", "snapstart",
    "floods", "registry", "finished", "outage", "expiry", "census", "sources", "legacy",
    "functions", "optional", "workloads",
)  # fmt: skip
# Worlds of another kind: workers of serve with a folder, callers with certificates, pipelines that
# push at the same time, and policies whose clusters are in a bundle.
KINDS = {
    "serve": 0.2,
    "certificates": 0.15,
    "crowd": 0.1,
    "twins": 0.1,
    "large": 0.12,
    # An earlier release of the function is replaced, or deployed again.
    "upgrade": 0.1,
    "downgrade": 0.08,
    # Many reviews, while the processor of the functions is slow, or Parameter Store.
    "busy": 0.1,
    # kube-apiserver sends requests again; a person deletes the registry, and adopts it again.
    "reinvocation": 0.2,
    "adopted": 0.1,
}
_FAULTS = (
    "timeout", "timeout", "throttle", "error", "denied", "lost", "truncated", "damaged", "slow",
    "undecryptable",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Window:
    """Calls of *service* by *nodes* (a prefix of their names) fail with probability *rate*."""

    id: str
    start: float
    end: float
    kind: str
    service: str
    nodes: str
    rate: float


@dataclass(frozen=True, slots=True)
class Action:
    """What somebody does, and when. A process with ``kill`` dies at that call of AWS.

    A negative number kills it after the call took effect, before it gets the response.
    """

    id: str
    time: float
    verb: str
    subject: str
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    kill: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """A complete run."""

    seed: int
    seconds: float
    heal: float
    features: tuple[str, ...]
    clusters: int
    environments: int
    tie: str
    windows: tuple[Window, ...]
    actions: tuple[Action, ...]
    sample: int = 1  # a fleet: one pod, request, and environment stands for so many

    def dump(self) -> str:
        """Return the plan as JSON."""
        return json.dumps(asdict(self), indent=1)

    @classmethod
    def load(cls, text: str) -> Plan:
        """Read a plan from JSON."""
        fields: dict[str, Any] = json.loads(text)
        fields["features"] = tuple(fields["features"])
        fields["windows"] = tuple(Window(**each) for each in fields["windows"])
        fields["actions"] = tuple(Action(**each) for each in fields["actions"])
        return cls(**fields)


def choose_seconds(dice: Dice) -> float:
    """Return how long a world lasts, in virtual seconds."""
    return dice.scale("plan/seconds", 1_800, 400_000)


def make_plan(seed: int) -> Plan:
    """Return the plan of a seed: each feature with probability one half, sizes log-uniform."""
    dice = Dice(seed)
    chances = {**dict.fromkeys(FEATURES, 0.5), **KINDS}
    features = tuple(
        name for name, chance in chances.items() if dice.chance(f"plan/feature/{name}", chance)
    )
    features = _add_needs(features)
    seconds = choose_seconds(dice)
    heal = seconds * 2 / 3
    plan = Plan(
        seed=seed,
        seconds=seconds,
        heal=heal,
        features=features,
        clusters=12 if "crowd" in features else int(dice.scale("plan/clusters", 1, 5)),
        environments=int(dice.scale("plan/environments", 1, 6)),
        tie="random" if dice.chance("plan/tie", 0.5) else "fifo",
        windows=tuple(_make_windows(dice, features, heal)),
        actions=(),
    )
    actions = [
        *_make_commands(dice, plan),
        *_make_lambda_events(dice, plan),
        *_make_reviews(dice, plan),
        *_make_workloads(dice, plan),
        *_make_busy(dice, plan),
    ]
    actions += _make_followers(dice, plan, actions)
    actions += _make_witnesses(dice, replace(plan, actions=tuple(actions)))
    return replace(plan, actions=tuple(sorted(actions, key=lambda each: each.time)))


# What the worlds of an earlier release need, and what it does not know.
_NEEDS = {
    "upgrade": {"functions", "large"},
    "downgrade": {"functions", "registry", "tokens"},
    "busy": set[str](),
    "adopted": {"registry", "tokens"},
}
_EXCLUDES = {
    "downgrade": {"finished", "sources", "expiry", "large", "certificates", "upgrade"},
    "adopted": {"downgrade", "upgrade"},
}


def _add_needs(features: tuple[str, ...]) -> tuple[str, ...]:
    own = set(features)
    for name, needs in _NEEDS.items():
        if name in own and "serve" not in own:
            own = (own | needs) - _EXCLUDES.get(name, set())
        else:
            own.discard(name)
    return tuple(name for name in (*FEATURES, *KINDS) if name in own)


def name_contents(plan: Plan) -> set[str]:
    """Return what a plan has: features, verbs, kinds of edits and faults, and long stretches."""
    reads = [each for each in plan.windows if "env".startswith(each.nodes[:3])]
    contents = {*plan.features, *(each.verb for each in plan.actions)}
    contents |= {str(each.options.get("kind", "")) for each in plan.actions}
    contents |= {str(each.options.get("mode", "")) for each in plan.actions}
    contents |= {each.kind for each in reads if each.service != "kms"}
    contents |= {"fault"} if reads else set()
    contents |= {"long"} if plan.heal > LONG_SECONDS[0] else set()
    contents |= {"outage-of-a-day"} if any(each.id == "outage" for each in plan.windows) else set()
    contents |= {"damage"} if contents & {"damaged", "object"} else set()
    return contents


def _make_windows(dice: Dice, features: tuple[str, ...], heal: float) -> list[Window]:
    windows = [
        Window("lag", BEGIN_SECONDS, heal, "lag", "ssm", "env", 0.5)
    ] if "lag" in features else []  # fmt: skip
    for number in range(dice.whole("plan/windows", 0, 5)):
        path = f"plan/window/{number}"
        start = dice.between(f"{path}/start", BEGIN_SECONDS, heal)
        is_outage = dice.chance(f"{path}/outage", 0.5)
        seconds = dice.scale(f"{path}/seconds", 5, 2_000)
        windows.append(
            Window(
                id=str(number),
                start=start,
                end=min(start + seconds, heal),
                kind=dice.pick(f"{path}/kind", _FAULTS),
                service=dice.pick(f"{path}/service", SCOPES),
                nodes=dice.pick(f"{path}/nodes", ("env", "env", "env/0", "operator", "")),
                rate=1.0 if is_outage else dice.between(f"{path}/rate", 0.1, 0.6),
            )
        )
    if "outage" in features and heal > LONG_SECONDS[1]:
        start = dice.between("plan/outage/start", BEGIN_SECONDS, heal - LONG_SECONDS[1])
        seconds = dice.between("plan/outage/seconds", *LONG_SECONDS)
        windows.append(Window("outage", start, start + seconds, "timeout", "ssm", "env", 1.0))
    if "busy" in features:
        start = dice.between("plan/busy/start", BEGIN_SECONDS, heal - BUSY_SECONDS)
        slow = ("slow", PROCESSOR) if dice.chance("plan/busy/slow", 0.5) else ("timeout", "ssm")
        windows.append(Window(BUSY, start, start + BUSY_SECONDS, *slow, nodes="env", rate=1.0))
    return windows


SCOPES = (
    "*", "ssm", "ssm", "s3", "kms", "ssm/GetParametersByPath", "ssm/GetParameters", "s3/GetObject",
)  # fmt: skip


def _make_commands(dice: Dice, plan: Plan) -> list[Action]:
    verbs = [each for each in VERBS if not each[1] or each[1] in plan.features]
    weighted = [each for each in verbs for _ in range(each[2])]
    actions: list[Action] = []
    time = BEGIN_SECONDS
    last = plan.heal
    count = dice.whole("plan/commands", 2, 15)
    for number in range(count):
        path = f"plan/command/{number}"
        verb, _, _, choose = dice.pick(f"{path}/verb", weighted)
        if not ("race" in plan.features and dice.chance(f"{path}/race", 0.3)):
            time = min(time + dice.scale(f"{path}/pause", 1, 2 * plan.heal / count), last)
        actions.append(
            Action(
                id=f"command/{number}",
                time=time + dice.between(f"{path}/jitter", 0, 0.5),
                verb=verb,
                subject=f"c{dice.whole(f'{path}/cluster', 0, plan.clusters - 1)}",
                options=choose(dice, path),
                kill=dice.pick(f"{path}/call", (1, 2, 3, 4, 5, 7, -2, -3, -4, -5, -6, -8))
                if dice.chance(f"{path}/kill", 0.12)
                else 0,
            )
        )
    actions += [
        *_make_mistakes(dice, plan),
        *_make_twins(dice, plan),
        *_make_large(dice, plan),
        *_make_releases(dice, plan),
        *_make_adoptions(dice, plan),
    ]
    # After the healing, people finish what failed: every command must succeed now. A new policy
    # would hide an environment that does not return to an earlier one.
    settles = {"bundle": 1, "pushes": dice.chance("plan/settle/push", 0.5)}
    actions.append(Action("command/settle", plan.heal + SETTLE_SECONDS, "settle", "c0", settles))
    if "functions" in plan.features:  # EventBridge invokes it each day
        actions.append(Action("schedule/cleanup", plan.seconds - CLEANUP_SECONDS, "cleanup", "c0"))
    if "prune" in plan.features and plan.heal > LONG_SECONDS[0]:
        late = dice.between("plan/late/time", LONG_SECONDS[0], plan.heal)
        actions += [
            Action("command/late-push", late - 60, "push", "c0", choose_bundle(dice, "plan/late")),
            Action("command/late-prune", late, "prune", "c0", {"days": 1}),
        ]
    return actions


def _make_twins(dice: Dice, plan: Plan) -> list[Action]:
    """Let two pipelines push at the same time, and two people deny bundles."""
    actions: list[Action] = []
    for number in range(PAIRS if "twins" in plan.features else 0):
        time = dice.between(f"plan/twins/{number}/time", BEGIN_SECONDS, plan.heal)
        for each in range(2):
            path = f"plan/twins/{number}/{each}"
            options = {**choose_bundle(dice, path), "halves": False}
            actions.append(Action(f"command/twin-{number}-{each}", time, "push", "c0", options))
    if {"twins", "deny"} <= {*plan.features}:
        time = dice.between("plan/twins/deny/time", BEGIN_SECONDS, plan.heal)
        other = dice.whole("plan/twins/deny/bundle", 2, 4)
        actions += [
            Action(f"command/twin-deny-{each}", time, "deny", "c0", {"bundle": each})
            for each in (1, other)
        ]
    return actions


def _make_large(dice: Dice, plan: Plan) -> list[Action]:
    """Let overrides be denied, or get lost, soon after a push; then all environments start."""
    actions: list[Action] = []
    for verb in ("deny", "hand") if "large" in plan.features else ():
        path = f"plan/large/{verb}"
        time = dice.between(f"{path}/time", BEGIN_SECONDS, plan.heal)
        options = {**choose_bundle(dice, path), "large": True}
        pause, kind = dice.scale(f"{path}/pause", 40, 160), {"kind": "overrides"}
        is_back = dice.chance(f"{path}/back", 0.5)  # to the version with these overrides
        last = ("rollback", {"back": 0}) if is_back else ("push", options)
        actions += [
            Action(f"command/large-{verb}-push", time, "push", "c0", options),
            Action(f"command/large-{verb}", time + pause, verb, "c0", {**options, **kind}),
            Action(f"command/large-{verb}-last", time + 2 * pause, last[0], "c0", last[1]),
        ]
        if verb == "hand" or dice.chance(f"{path}/restart", 0.5):
            actions.append(Action(f"lambda/large-{verb}", time + 1.5 * pause, "deploy", "env/0"))
        else:  # an invalid version is the newest one, so the one before it is in force
            broken = {**options, "kind": "yaml"}
            actions.append(
                Action(f"command/large-{verb}-broken", time + 0.8 * pause, "hand", "c0", broken)
            )
    return actions


def _make_releases(dice: Dice, plan: Plan) -> list[Action]:
    """Deploy releases that read other documents, while people change these."""
    actions: list[Action] = []
    for number in range(2 if {"upgrade", "downgrade"} & {*plan.features} else 0):
        path = f"plan/release/{number}"
        last = max(plan.heal - LAST_SHIFT_SECONDS, BEGIN_SECONDS)
        time = dice.between(f"{path}/time", BEGIN_SECONDS, last)
        shift = {"pick": dice.between(f"{path}/pick", 0.4, 1.0)}
        push = {**choose_bundle(dice, path), "large": True}
        actions.append(Action(f"command/release-{number}", time, "shift", "c0", shift))
        pause = dice.between(f"{path}/pause", 0.0, 400.0)
        actions.append(Action(f"command/release-push-{number}", time + pause, "push", "c0", push))
        actions.append(Action(f"command/release-rotate-{number}", time + pause, "rotate", "c0"))
        # A person stores a key of a later release.
        later = Action(f"command/release-key-{number}", time - 60, "hand", "c0", {"kind": "key"})
        actions += [later] if number == 0 else []
    return [each for each in actions if each.verb != "rotate" or "tokens" in plan.features]


def _make_adoptions(dice: Dice, plan: Plan) -> list[Action]:
    """Let a person delete the registry of callers, and adopt their documents again."""
    actions: list[Action] = []
    for number in range(2 if "adopted" in plan.features else 0):
        path = f"plan/adoption/{number}"
        time = dice.between(f"{path}/time", BEGIN_SECONDS, plan.heal)
        options = {"seconds": dice.scale(f"{path}/seconds", 5, 200)}
        actions += [
            Action(
                f"command/adopt-rotate-{number}", time - 1, "rotate", f"c{number % plan.clusters}"
            ),
            Action(f"command/adopt-{number}", time + ADOPT_SECONDS, "adopt", "c0", options),
        ]
    return actions


def _make_mistakes(dice: Dice, plan: Plan) -> list[Action]:
    """Let each kind of mistake happen; consecutive seeds make different ones."""
    kinds = MISTAKES if "hands" in plan.features else ()
    kinds = [each for each in kinds if each != "overrides" or "large" in plan.features]
    actions: list[Action] = []
    for number, kind in enumerate(kinds):
        path = f"plan/mistake/{kind}"
        pick = plan.seed * GOLDEN % 1
        options = {**choose_bundle(dice, path), "kind": kind, "pick": pick}
        time = dice.between(f"{path}/time", BEGIN_SECONDS, plan.heal)
        actions.append(
            Action(f"command/{kind}", time, "hand", f"c{number % plan.clusters}", options)
        )
    if "serve" in plan.features:
        for kind in LINKS:
            path = f"plan/mistake/{kind}"
            time = dice.between(f"{path}/time", BEGIN_SECONDS, plan.heal)
            options = {**choose_disk(dice, path), "kind": kind}
            actions.append(Action(f"command/{kind}", time, "link", "c0", options))
    return actions


def _make_followers(dice: Dice, plan: Plan, actions: list[Action]) -> list[Action]:
    """Let pods follow each command soon, after the refresh interval, and later."""
    followers: list[Action] = []
    for action in [each for each in actions if each.id.startswith(("command/", "lambda/"))]:
        for number, low, high in ((0, 0.1, 5.0), (1, 31.0, 45.0), (2, 60.0, 400.0)):
            path = f"plan/{action.id}/follower/{number}"
            time = action.time + dice.between(f"{path}/time", low, high)
            followers.append(_make_review(dice, plan, path, 2000 + len(followers), time))
    return followers


def _make_witnesses(dice: Dice, plan: Plan) -> list[Action]:
    """Let pods meet what takes long: the end of each outage, and the last second of a token."""
    times = [
        (f"plan/window/{window.id}", window.start + (window.end - window.start) * share)
        for window in plan.windows
        for share in (0.7, 0.95)
        if window.id != "lag" and window.end - window.start > 2 * REFRESH_SECONDS
    ]
    shifts = [each for each in plan.actions if each.verb in {"shift", "keys"}]
    times += [(f"plan/{s.id}/shift", s.time + after) for s in shifts for after in (40, 150, 280)]
    if "expiry" in plan.features:
        times += [("plan/expiry", end + after) for end in EXPIRIES for after in (-60, -7, 7, 310)]
    witnesses: list[Action] = []
    for path, time in [(path, time) for path, time in times if time < plan.seconds]:
        for number in range(1 if path.endswith("/shift") else 3):
            each = f"{path}/witness/{len(witnesses)}"
            begin = time + dice.between(f"{each}/time", 0, 0.5)
            review = _make_review(dice, plan, each, 4000 + len(witnesses), begin)
            cold = {**review.options, "cold": False}
            witnesses.append(replace(review, options=cold, subject=f"c{number % plan.clusters}"))
    return witnesses


def _make_lambda_events(dice: Dice, plan: Plan) -> list[Action]:
    actions: list[Action] = []
    for number in range(dice.whole("plan/lambda", 0, 6)):
        path = f"plan/lambda/{number}"
        verb = dice.pick(f"{path}/verb", ("freeze", "freeze", "freeze", "crash", "deploy"))
        actions.append(
            Action(
                id=f"lambda/{number}",
                time=dice.between(f"{path}/time", BEGIN_SECONDS, plan.heal),
                verb=verb,
                subject=f"env/{dice.whole(f'{path}/env', 0, plan.environments - 1)}",
                options={
                    "seconds": dice.scale(f"{path}/seconds", 60, 100_000),
                    "clock": dice.pick(f"{path}/clock", ("stops", "runs")),
                },
            )
        )
    return actions


def _make_reviews(dice: Dice, plan: Plan) -> list[Action]:
    """Bursts with quiet stretches between them, some of which follow a command closely."""
    actions: list[Action] = []
    time = BEGIN_SECONDS
    number = 0
    most = MOST_OF_THEM if "workloads" in plan.features else MAX_REVIEWS
    while number < most:
        path = f"plan/burst/{number}"
        time += dice.scale(f"{path}/pause", 0.5, plan.seconds / 8)
        if time > plan.seconds - 10:
            break
        for _ in range(dice.whole(f"{path}/size", 1, 6)):
            number += 1
            each = f"plan/review/{number}"
            time += dice.scale(f"{each}/pause", 0.05, 20)
            actions.append(_make_review(dice, plan, each, number, time))
    # After the healing, every cluster asks: the laws of convergence need reviews.
    for step in range(3 * plan.environments + 3):
        each = f"plan/last/{step}"
        time = plan.seconds - 200 + step * 8
        actions.append(_make_review(dice, plan, each, 1000 + step, time))
    return actions


def _make_workloads(dice: Dice, plan: Plan) -> list[Action]:
    """Let Deployments scale and restart, most of them when something fails."""
    actions: list[Action] = []
    for number in range(2 if "workloads" in plan.features else 0):
        path = f"plan/workload/{number}"
        start, end = BEGIN_SECONDS, plan.seconds - 300
        if plan.windows and dice.chance(f"{path}/window", 0.6):
            window = dice.pick(f"{path}/window", plan.windows)
            start, end = window.start, window.end
        review = _make_review(dice, plan, path, 6000 + number, dice.between(path, start, end))
        options = {**review.options, "replicas": dice.whole(f"{path}/replicas", 2, 6)}
        options |= {"cold": False, "dry": False}
        verb = dice.pick(f"{path}/verb", ("scale", "restart"))
        actions.append(replace(review, verb=verb, options=options))
    return actions


def _make_busy(dice: Dice, plan: Plan) -> list[Action]:
    """Let pods need each minute of a slow stretch, as an alarm for several minutes does."""
    actions: list[Action] = []
    for window in [each for each in plan.windows if each.id == BUSY]:
        for number in range(int(BUSY_SECONDS / BUSY_PAUSE_SECONDS)):
            path, time = f"plan/busy/{number}", window.start + number * BUSY_PAUSE_SECONDS
            review = _make_review(dice, plan, path, 7000 + number, time)
            options = {**review.options, "timeout": 10, "cold": False}
            actions.append(replace(review, verb="review", options=options))
    return actions


def _make_review(dice: Dice, plan: Plan, path: str, number: int, time: float) -> Action:
    return Action(
        id=f"review/{number}",
        time=time,
        verb="attack" if dice.chance(f"{path}/attack", 0.06) else "review",
        subject=f"c{dice.whole(f'{path}/cluster', 0, plan.clusters - 1)}",
        options={
            "workload": dice.whole(f"{path}/workload", 0, 9),
            "timeout": dice.pick(f"{path}/timeout", (10, 10, 10, 5, 30, 2)),
            "cold": dice.chance(f"{path}/cold", 0.15),
            "pick": dice.unit(f"{path}/pick"),
            "form": dice.pick(f"{path}/form", ("header", "header", "path", "both")),
            "source": dice.pick(f"{path}/source", SOURCES),
            "dry": dice.chance(f"{path}/dry", 0.1),
        },
    )
