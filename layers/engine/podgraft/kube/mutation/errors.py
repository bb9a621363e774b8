"""The denial of a request by mutating policies."""

from http import HTTPStatus


class MutationDeniedError(Exception):
    """The request is denied, with kube-apiserver's message and status code."""

    def __init__(self, message: str, code: HTTPStatus = HTTPStatus.FORBIDDEN) -> None:
        super().__init__(message)
        self.code = code


class MutationError(Exception):
    """A condition or mutation that fails; failurePolicy of its policy decides."""
