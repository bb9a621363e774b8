"""The census in AWS: records in a separate bucket, keys in Parameter Store."""

from base64 import b64decode

from msgspec import Struct

from podgraft.service.store.names import census_key_name

from .client import AwsServiceError, MissingError, ObjectWriter, ParameterStore

_EXISTS = frozenset({"PreconditionFailed", "ConditionalRequestConflict"})
_PRECONDITION_FAILED = 412


class BucketCensus(Struct, frozen=True):
    """The records of one bucket; the keys are below the prefix of the parameters."""

    parameters: ParameterStore
    objects: ObjectWriter
    bucket: str
    prefix: str

    def read_key(self, injector: str, seconds: float) -> bytes | None:
        """Read the parameter; None if it does not exist."""
        name = f"{self.prefix}/{census_key_name(injector)}"
        try:
            response = self.parameters(
                "GetParameters", {"Names": [name], "WithDecryption": True}, seconds
            )
        except MissingError:
            return None
        parameters = response["Parameters"]
        return b64decode(parameters[0]["Value"], validate=True) if parameters else None

    def put_record(self, path: str, content: bytes, seconds: float) -> bool:
        """Store an object; False if it exists. An existing object is never replaced."""
        try:
            self.objects.put_object(self.bucket, path, content, seconds)
        except AwsServiceError as error:
            if error.code in _EXISTS or error.status == _PRECONDITION_FAILED:
                return False
            raise
        return True
