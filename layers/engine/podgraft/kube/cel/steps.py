"""The steps of evaluation as closures: calls, operators, literals and loops."""

from collections.abc import Callable, Mapping
from functools import partial

from .activation import Evaluate, Frame
from .constructors import Construct
from .cost import LIST, MAP, RESULT_COSTS, STRUCT, Cost
from .errors import EvaluationError, no_such_overload_error
from .overloads import Overload, OverloadSet
from .values import Optional, Value, check_key, is_list, is_map, is_optional, type_name


def read_variable(name: str, cost: int) -> Evaluate:
    """A variable of the environment."""

    def evaluate(frame: Frame) -> Value:
        frame.meter.spent += cost
        return frame.variables[name]

    return evaluate


def read_loop_variable(slot: int, cost: int) -> Evaluate:
    """A loop variable; an accumulator may hold the error that its last step ended in."""

    def evaluate(frame: Frame) -> Value:
        frame.meter.spent += cost
        value = frame.slots[slot]
        if isinstance(value, EvaluationError):
            raise value
        if isinstance(value, _Pending):
            value = value.evaluate(frame)
            frame.slots[slot] = value
        return value

    return evaluate


class _Pending:
    """A bound value that nothing has read yet."""

    __slots__ = ("evaluate",)

    def __init__(self, evaluate: Evaluate) -> None:
        self.evaluate = evaluate


def bind(slot: int, value: Evaluate, result: Evaluate) -> Evaluate:
    """``result``, in which a name is a value; it is evaluated when it is read first, if ever."""

    def evaluate(frame: Frame) -> Value:
        frame.slots[slot] = _Pending(value)
        return result(frame)

    return evaluate


def strict_call(
    function: OverloadSet, arguments: list[Evaluate], price: Cost, known: Overload | None
) -> Evaluate:
    """A call that evaluates all its arguments; ``known`` is the only overload it can have.

    It is paid for before it runs: ``distinct`` of a list of 100,000 would take an hour.
    """
    is_prepaid = price not in RESULT_COSTS
    pick = function.make_pick(known)

    def evaluate(frame: Frame) -> Value:
        values: list[Value] = []
        is_paid = False
        try:
            for argument in arguments:
                values.append(argument(frame))  # noqa: PERF401 - what is there is paid for
            overload = pick(values)
            if overload.measure is not None:
                frame.meter.read = overload.measure(values, frame.meter.read)
            if is_prepaid:
                is_paid = True
                frame.meter.spend(price(values, None))
            known_types = (frame.go,) if overload.reads_go else ()
            result = overload.call(*values, *known_types)
        except EvaluationError as error:
            if not is_paid:
                _charge_failure(frame, arguments, values, error, price)
            raise
        if not is_paid:
            frame.meter.spend(price(values, result))
        return result

    return evaluate


def _charge_failure(
    frame: Frame,
    arguments: list[Evaluate],
    values: list[Value],
    failure: EvaluationError,
    price: Cost,
) -> None:
    """Charge for a call that failed: both sides of an operator are evaluated, and paid for.

    With three arguments or more, the first that fails ends the call, and it costs nothing unless
    it is the last.
    """
    if len(values) < len(arguments):
        values.append(failure)
        if len(values) == 1 and len(arguments) == 2:  # noqa: PLR2004 - an operator
            try:
                values.append(arguments[1](frame))
            except EvaluationError as error:
                values.append(error)
    if len(values) == len(arguments):
        frame.meter.spend(price(values, failure))


def append(accumulator: Evaluate, more: Evaluate) -> Evaluate:
    """``@result + [x]``, the step of ``map`` and ``filter``: in place, or a loop is quadratic.

    Only the loop can access the accumulator, so the change of the list is not visible.
    """

    def evaluate(frame: Frame) -> Value:
        result = accumulator(frame)
        result.extend(more(frame))
        frame.meter.spent += 1
        return result

    return evaluate


def _logical(left: Evaluate, right: Evaluate, *, short: bool) -> Evaluate:
    """``&&`` and ``||``: the side that decides wins, even over an error on the other."""

    def evaluate(frame: Frame) -> bool:
        try:
            first = left(frame)
            failure = None if type(first) is bool else no_such_overload_error()
            if first is short:
                return short
        except EvaluationError as error:
            failure = error
        try:
            second = right(frame)
        except EvaluationError as error:
            raise failure or error from None
        if second is short:
            return short
        if failure is not None:
            raise failure
        if type(second) is not bool:
            raise no_such_overload_error()
        return not short

    return evaluate


def conditional(condition: Evaluate, then: Evaluate, otherwise: Evaluate) -> Evaluate:
    """``condition ? then : otherwise``."""

    def evaluate(frame: Frame) -> Value:
        decision = condition(frame)
        if type(decision) is not bool:
            raise no_such_overload_error()
        return then(frame) if decision else otherwise(frame)

    return evaluate


def _not_strictly_false(argument: Evaluate) -> Evaluate:
    """Whether a loop goes on: until its accumulator is ``false``; errors do not end it."""

    def evaluate(frame: Frame) -> bool:
        frame.meter.spent += 1
        try:
            return argument(frame) is not False
        except EvaluationError:
            return True

    return evaluate


def _or(optional: Evaluate, otherwise: Evaluate, *, unwraps: bool) -> Evaluate:
    def evaluate(frame: Frame) -> Value:
        value = _as_optional(optional(frame))
        if not value.present:
            return otherwise(frame)
        return value.value if unwraps else value

    return evaluate


def _as_optional(value: Value) -> Optional:
    if is_optional(value):
        return value
    raise no_such_overload_error()


# What does not evaluate all its arguments first, or is priced as an access.
SPECIAL: Mapping[str, Callable[..., Evaluate]] = {
    "_&&_": partial(_logical, short=False),
    "_||_": partial(_logical, short=True),
    "@not_strictly_false": _not_strictly_false,
    "orValue": partial(_or, unwraps=True),
    "or": partial(_or, unwraps=False),
}


def make_list(elements: list[Evaluate], optional: frozenset[int]) -> Evaluate:
    """A list."""

    def evaluate(frame: Frame) -> Value:
        frame.meter.spent += LIST
        result: list[Value] = []
        for position, element in enumerate(elements):
            value = element(frame)
            if position not in optional:
                result.append(value)
            elif _as_optional(value).present:
                result.append(value.value)
        return result

    return evaluate


def make_map(entries: list[tuple[Evaluate, Evaluate, bool]]) -> Evaluate:
    """A map."""

    def evaluate(frame: Frame) -> Value:
        frame.meter.spent += MAP
        result: dict[Value, Value] = {}
        for key, value, optional in entries:
            _add_entry(result, check_key(key(frame)), value(frame), optional=optional)
        return result

    return evaluate


def _add_entry(result: dict[Value, Value], key: Value, value: Value, *, optional: bool) -> None:
    """Add an entry, unless its value is optional and absent."""
    if not optional:
        result[key] = value
    elif _as_optional(value).present:
        result[key] = value.value


def make_struct(construct: Construct, fields: list[tuple[str, Evaluate, bool]]) -> Evaluate:
    """A struct."""

    def evaluate(frame: Frame) -> Value:
        frame.meter.spent += STRUCT
        result: dict[Value, Value] = {}
        for name, value, optional in fields:
            _add_entry(result, name, value(frame), optional=optional)
        return construct(result)

    return evaluate


def loop(
    slots: tuple[int, int | None, int],
    range_: Evaluate,
    initial: Evaluate,
    condition: Evaluate,
    step: Evaluate,
    result: Evaluate,
) -> Evaluate:
    """A comprehension."""
    first, second, accumulator = slots

    def evaluate(frame: Frame) -> Value:
        values = frame.slots
        elements = range_(frame)
        values[accumulator] = _fresh_accumulator(initial(frame))
        for key, element in _pairs(elements, pairs=second is not None):
            frame.meter.check()
            values[first] = key
            if second is not None:
                values[second] = element
            if condition(frame) is not True:
                break
            try:
                values[accumulator] = step(frame)
            except EvaluationError as error:
                values[accumulator] = error
        return result(frame)

    return evaluate


def _fresh_accumulator(start: Value) -> Value:
    """A list or map for one loop to grow: the program's own stays empty."""
    if is_list(start):
        return list(start)
    return dict(start) if is_map(start) else start


def _pairs(elements: Value, *, pairs: bool) -> list[tuple[Value, Value]]:
    """What a loop runs over: elements or keys; with two variables, index or key and element."""
    if is_list(elements):
        return list(enumerate(elements)) if pairs else [(element, None) for element in elements]
    if is_map(elements):
        return list(elements.items())
    name = type_name(elements).removesuffix("_type").capitalize()
    pointer = "*" if is_optional(elements) else ""
    raise EvaluationError(f"got '{pointer}types.{name}', expected iterable type")
