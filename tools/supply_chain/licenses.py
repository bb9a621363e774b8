"""The license of each package that podgraft ships or requires, as an SPDX expression.

A package without a clear license, or with one that is not in ``ACCEPTED``, is an error.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

# Licenses that allow distribution together with Apache-2.0 code, without source code of podgraft.
ACCEPTED = frozenset(
    {
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "ISC",
        "MIT",
        "MIT-0",
        "MPL-2.0",
        "PSF-2.0",
    }
)
# Values of the field License that are not SPDX expressions.
_TEXTS = {
    "apache license 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "mit license": "MIT",
}
_CLASSIFIERS = {
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: MIT License": "MIT",
}
# Packages with metadata that do not name one license ("BSD License"), by the text of their license.
_BY_TEXT = {
    "google-re2": "BSD-3-Clause",
    "itsdangerous": "BSD-3-Clause",
    "jinja2": "BSD-3-Clause",
    "python-dateutil": "Apache-2.0 OR BSD-3-Clause",
}


class LicenseError(ValueError):
    """A package that cannot be shipped."""


class Metadata(Protocol):
    """The core metadata of a package: its fields by name."""

    def get_all(self, name: str, /) -> Sequence[str] | None:
        """All values of a field."""
        ...


def identify_license(name: str, fields: Metadata) -> str:
    """The SPDX expression of a package by its metadata; raises ``LicenseError``.

    The order is that of PEP 639: License-Expression, then the older fields.
    """
    for candidate in _list_candidates(name, fields):
        try:
            expression = canonicalize_license_expression(candidate)
        except InvalidLicenseExpression:
            continue
        check_license(name, expression)
        return expression
    raise LicenseError(
        f"{name}: the metadata do not name one license; read the text of the license, then add the "
        "package to tools/supply_chain/licenses.py"
    )


def _list_candidates(name: str, fields: Metadata) -> Iterator[str]:
    yield from fields.get_all("License-Expression") or ()
    if name in _BY_TEXT:
        yield _BY_TEXT[name]
    for text in fields.get_all("License") or ():
        yield _TEXTS.get(text.lower(), text)
    for classifier in fields.get_all("Classifier") or ():
        if classifier in _CLASSIFIERS:
            yield _CLASSIFIERS[classifier]


def check_license(name: str, expression: str) -> None:
    """Raise ``LicenseError`` if a part of the expression is not accepted."""
    for part in _split(expression):
        if part not in ACCEPTED:
            raise LicenseError(
                f"{name}: license {part} is not accepted; replace the package, or add the license "
                "to ACCEPTED in tools/supply_chain/licenses.py"
            )


def _split(expression: str) -> Sequence[str]:
    """The licenses of an expression; each must be accepted, also those of an OR."""
    words = expression.replace("(", " ").replace(")", " ").split()
    return [word for word in words if word not in {"AND", "OR", "WITH"}]
