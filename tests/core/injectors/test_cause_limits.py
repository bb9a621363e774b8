"""The search for the cause of a failure takes about as long as the rendering that failed."""

from collections.abc import Callable

import pytest

from podgraft.base.jsonvalue import JSON
from podgraft.core.injectors.errors import InjectionError, OperatorError, UserError
from podgraft.core.injectors.overlay.data import OverlayData
from podgraft.core.injectors.overlay.overlay import Overlay
from podgraft.core.injectors.overlay.templates import OverlayTemplate
from podgraft.core.review_context import ReviewContext
from podgraft.golang.reflect.taint import Address
from podgraft.golang.texttemplate import Limits, program
from podgraft.golang.texttemplate.run.runtime import RenderState
from podgraft.kube.matching.constraints import MatchConstraints

from .istio import bundles
from .istio.hostile import app

LIMITS = Limits(steps=10_000)
CONTEXT = ReviewContext(namespace="ns", limits=LIMITS)
ANNOTATIONS: dict[str, JSON] = {f"key-{number}": f"text: {number}" for number in range(9)}


def inject_istio(loop: str) -> object:
    text = '{{ index .ObjectMeta.Annotations "key-4" }}'
    return bundles.template_injector(f"{loop}\nspec: {{nodeName: {text}}}").inject(
        app(ANNOTATIONS), CONTEXT
    )


def apply_overlay(loop: str) -> object:
    text = '{{ index .Object.metadata.annotations "key-4" }}'
    template = OverlayTemplate("x", f"{loop}\nspec: {{nodeName: {text}}}")
    overlay = Overlay(name="x", constraints=MatchConstraints(), conditions=(), source=template)
    return overlay.apply(app(ANNOTATIONS), "ns", {}, LIMITS)


@pytest.mark.parametrize("inject", [inject_istio, apply_overlay])
@pytest.mark.parametrize(("steps", "kind"), [(900, UserError), (9_000, OperatorError)])
def test_the_search_for_a_cause_takes_few_steps(
    steps: int,
    kind: type[InjectionError],
    inject: Callable[[str], object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    states: list[RenderState] = []

    def make_state(*arguments: object) -> RenderState:
        states.append(RenderState(*arguments))  # type: ignore[arg-type]
        return states[-1]

    monkeypatch.setattr(program, "RenderState", make_state)
    with pytest.raises(kind):
        inject(f"# {{{{ range untilStep 0 {steps} 1 }}}}{{{{ end }}}}")

    assert len(states) > 1
    assert sum(state.steps for state in states) <= 2 * LIMITS.steps


class Unsearchable(list[Address]):
    """A list that is long: to search it for each key of a pod takes quadratic time."""

    def __contains__(self, _: object, /) -> bool:
        raise AssertionError


def test_no_list_is_searched_for_each_key_of_an_object() -> None:
    data = OverlayData(app(ANNOTATIONS), "ns", None, {})
    first, second, *_ = data.metadata_keys()

    reduced = data.with_metadata_keys(Unsearchable([first, second]))

    assert [*reduced.metadata_keys()] == [first, second]
