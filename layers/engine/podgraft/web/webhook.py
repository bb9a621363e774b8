"""One call of kube-apiserver's: who is it, what does it ask, what is the answer, what is noted.

The order matters: nothing of the body is read before the caller is known.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from http import HTTPStatus

from podgraft import admission, review
from podgraft.admission import MAX_REQUEST_BYTES, AdmissionRequest, TooLargeError
from podgraft.jsonvalue import Object
from podgraft.lazy_dataclass import dataclass
from podgraft.lazy_re import lazy_compile
from podgraft.review import ReviewContext, ReviewFailure, ReviewRecord, ReviewResponse, ReviewResult
from podgraft.store import Deadline, Store, StoreError, UnknownInjectorError, is_name
from podgraft.texttemplate import ExecError, LimitError

from . import credentials, faults
from .authentication import Authenticator, Principal
from .credentials import Environ
from .errors import ContentTypeError, ForbiddenError, ThrottledError, UnauthenticatedError, WebError
from .faults import JsonResponse
from .request_log import RequestLog, format_traceback
from .throttle import MAX_FAILURES, WINDOW_SECONDS, Throttle

HANDLERS: Mapping[str, Callable[[AdmissionRequest, Store, ReviewContext], ReviewResult]] = {
    "inject": review.inject,
    "mutate": review.mutate,
    "validate": review.validate,
}


class Webhook:
    """Answers the calls of all routes that take a review."""

    def __init__(
        self,
        store: Store,
        gate: Authenticator,
        throttle: Throttle,
        journal: RequestLog,
        clock: Callable[[], float],
        *,
        certificates: bool = True,
    ) -> None:
        self._store = store
        self._gate = gate
        self._throttle = throttle
        self._journal = journal
        self._clock = clock
        self._certificates = certificates

    def respond(self, route: str, injector: str, tail: str, environ: Environ) -> JsonResponse:
        """Answer one call, whatever comes of it, and note it in the journal."""
        started = self._clock()
        timeout = _timeout_seconds(environ.get("QUERY_STRING", ""))
        call = _Call(
            route=route,
            injector=injector,
            path=tail,
            environ=environ,
            deadline=Deadline.from_timeout(timeout, self._clock),
        )
        reply, record = self._review_call(call)
        if record:
            milliseconds = round((self._clock() - started) * 1000, 3)
            told: Object = {"route": route, "code": reply.code, "milliseconds": milliseconds}
            self._journal({**record, **told})
        return reply

    def _review_call(self, call: "_Call") -> tuple[JsonResponse, Object]:
        uid = ""
        try:
            known = self._authenticate(call)
            request = admission.decode(_read_body(call.environ))
            uid = request.uid
            caller = ReviewContext(
                injector=_check_injector_name(call.injector),
                cluster=known.cluster,
                url_path=call.path,
                deadline=call.deadline,
                stale=known.stale,
            )
            return _to_response(HANDLERS[call.route](request, self._store, caller))
        except ThrottledError as error:
            return faults.fault_response(error), {}
        except (WebError, admission.ReviewError, StoreError) as error:
            return faults.fault_response(error), _fault_fields(error)
        except Exception as error:  # noqa: BLE001  the last line: whatever happened is answered
            internal: Object = {"event": "internal_error", "level": "ERROR", "uid": uid}
            return faults.fault_response(error), {**internal, "trace": format_traceback(error)}

    def _authenticate(self, call: "_Call") -> Principal:
        shown = credentials.extract_credentials(call.environ, certificates=self._certificates)
        try:
            return self._gate(shown, call.deadline)
        except (UnauthenticatedError, ForbiddenError) as error:
            if self._throttle.count_failure(shown.source) > MAX_FAILURES:
                raise ThrottledError(
                    f"more than {MAX_FAILURES} calls failed to authenticate within "
                    f"{WINDOW_SECONDS:.0f} s"
                ) from error
            raise


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """One POST: the parts of its path, and until when it may wait for the stores."""

    route: str
    injector: str
    path: str
    environ: Environ
    deadline: Deadline


def _to_response(outcome: ReviewResult) -> tuple[JsonResponse, Object]:
    match outcome:
        case ReviewResponse(response, facts):
            return JsonResponse(HTTPStatus.OK.value, admission.encode(response)), _review_fields(
                facts
            )
        case ReviewFailure(error, facts):
            return faults.fault_response(error), {**_review_fields(facts), **_fault_fields(error)}


def _review_fields(facts: ReviewRecord) -> Object:
    return {"event": "review", "level": "INFO", **{name: getattr(facts, name) for name in _FACTS}}


def _fault_fields(error: Exception) -> Object:
    """A fault without its message where that may quote the object; a store's quotes none.

    Of a template that fails, the place in the template is told, which is the operator's own.
    """
    row = faults.find_row(error)
    told: Object = {
        "event": "fault",
        "level": "WARNING" if row.origin == "caller" else "ERROR",
        "origin": row.origin,
        "fault": type(error).__name__,
    }
    if isinstance(error, StoreError):
        told["message"] = str(error)
    match error.__cause__:
        case ExecError() | LimitError() as cause:
            told["place"] = f"{cause.name}:{cause.line}:{cause.column}"
        case _:
            pass
    return told


def _check_injector_name(injector: str) -> str:
    if not is_name(injector):
        # Not quoted: a path that lacks its /k/ has the token in this place.
        raise UnknownInjectorError(
            "the path names an injector as none can be called; a token stands behind /k/"
        )
    return injector


def _timeout_seconds(query: str) -> float | None:
    """kube-apiserver appends its timeout as Go prints a duration: ``timeout=10s``."""
    found = _TIMEOUT.search(query)
    return float(found[1]) * _UNIT_SECONDS[found[2]] if found else None


def _read_body(environ: Environ) -> bytes:
    """The body, read once in its declared length."""
    length = environ.get("CONTENT_LENGTH") or "0"
    if not length.isascii() or not length.isdigit() or int(length) == 0:
        return b""
    content_type = environ.get("CONTENT_TYPE", "")
    if not _JSON.fullmatch(content_type):
        raise ContentTypeError(f"content type: got {content_type!r}; use application/json")
    if int(length) > MAX_REQUEST_BYTES:
        raise TooLargeError("request", int(length), MAX_REQUEST_BYTES)
    return environ["wsgi.input"].read(int(length))


_FACTS = tuple(field.name for field in fields(ReviewRecord))
_TIMEOUT = lazy_compile(r"(?:^|&)timeout=([0-9]+(?:\.[0-9]+)?)(ms|s|m)(?:&|$)")
_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0}
_JSON = lazy_compile(r"application/json *(; *charset=\"?utf-8\"?)?", re.IGNORECASE)
