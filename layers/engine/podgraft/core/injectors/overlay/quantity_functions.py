"""``quantityAdd``, ``quantityMul``, ``quantityMin``, and ``quantityMax`` for templates.

An argument is a text such as ``100m``, a number, or a quantity of the object. The result is the
canonical text of the quantity, as Kubernetes prints it.
"""

from collections.abc import Callable, Mapping

from podgraft.golang.errors import FunctionError
from podgraft.golang.reflect import ANY, STRING, Pointer, Struct, Value
from podgraft.golang.texttemplate import Function, Propagation, SyntaxRisk
from podgraft.kube import Quantity, QuantityError
from podgraft.kube.quantity import from_json
from podgraft.kube.quantity_types import QUANTITY, quantity_of

_Operation = Callable[[Quantity, Quantity], Quantity]


def _read_quantity(value: Value) -> Quantity:
    target = value.target if isinstance(value, Pointer) else value
    if isinstance(target, Struct) and target.type is QUANTITY:
        return quantity_of(target)
    if isinstance(target, str | int | float) and not isinstance(target, bool):
        return from_json(target)
    raise FunctionError("expected a quantity, such as 100m")


def _make_function(operation: _Operation) -> Function:
    def compute(left: Value, right: Value) -> str:
        try:
            return str(operation(_read_quantity(left), _read_quantity(right)))
        except QuantityError as error:
            raise FunctionError(str(error)) from error

    return Function(
        compute,
        (ANY, ANY),
        result=STRING,
        propagation=Propagation.DERIVES,
        syntax_risk=SyntaxRisk.NONE,
    )


QUANTITY_FUNCTIONS: Mapping[str, Function] = {
    "quantityAdd": _make_function(Quantity.add),
    "quantityMul": _make_function(Quantity.multiply),
    "quantityMin": _make_function(lambda left, right: left if left.compare(right) <= 0 else right),
    "quantityMax": _make_function(lambda left, right: left if left.compare(right) >= 0 else right),
}
