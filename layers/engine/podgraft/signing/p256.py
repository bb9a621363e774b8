"""Verification of ECDSA signatures with the curve P-256 (FIPS 186-5, section 6.4.2).

The package ``cryptography`` would add 14 MB to the layer and its import to each cold start. All
inputs are public, so the time of this code may depend on them. It must not be used to sign.
Tests compare it with Wycheproof's vectors and with ``cryptography``.
"""

from __future__ import annotations

from typing import TypeAlias

# The parameters of the curve y² = x³ - 3x + B over the field of P elements (SP 800-186).
P = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_GX = 0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296
_GY = 0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5

Point: TypeAlias = tuple[int, int]
# X, Y, Z with x = X/Z² and y = Y/Z³; Z is 0 for the point at infinity.
_Jacobian: TypeAlias = tuple[int, int, int]

_INFINITY: _Jacobian = (1, 1, 0)


def is_on_curve(point: Point) -> bool:
    """Whether the point is a valid public key; the curve has no other subgroup."""
    x, y = point
    return 0 <= x < P and 0 <= y < P and (y * y - (x * x * x - 3 * x + B)) % P == 0


def verify(key: Point, digest: int, r: int, s: int) -> bool:
    """Whether (r, s) is the signature of a digest of 256 bits; ``key`` is on the curve."""
    if not (0 < r < N and 0 < s < N):
        return False
    inverse = pow(s, -1, N)
    x, _, z = _add_multiples(digest * inverse % N, r * inverse % N, key)
    if z == 0:
        return False
    return x * pow(z, -2, P) % P % N == r


def _add_multiples(g_factor: int, key_factor: int, key: Point) -> _Jacobian:
    """Return ``g_factor * G + key_factor * key``, bit by bit for both factors."""
    both = _to_affine(_add((_GX, _GY, 1), key))
    table = (None, (_GX, _GY), key, both)
    total = _INFINITY
    for bit in range(max(g_factor.bit_length(), key_factor.bit_length()) - 1, -1, -1):
        total = _double(total)
        index = (g_factor >> bit & 1) | (key_factor >> bit & 1) << 1
        point = table[index]
        if point is not None:
            total = _add(total, point)
    return total


def _double(point: _Jacobian) -> _Jacobian:
    """Return twice the point (dbl-2001-b of the Explicit-Formulas Database)."""
    x, y, z = point
    if z == 0 or y == 0:
        return _INFINITY
    delta = z * z % P
    gamma = y * y % P
    beta = x * gamma % P
    alpha = 3 * (x - delta) * (x + delta) % P
    doubled_x = (alpha * alpha - 8 * beta) % P
    doubled_z = 2 * y * z % P
    return doubled_x, (alpha * (4 * beta - doubled_x) - 8 * gamma * gamma) % P, doubled_z


def _add(left: _Jacobian, right: Point) -> _Jacobian:
    """Return the sum of two points; *right* is not the point at infinity (madd)."""
    x1, y1, z1 = left
    x2, y2 = right
    if z1 == 0:
        return x2, y2, 1
    z1_squared = z1 * z1 % P
    h = (x2 * z1_squared - x1) % P
    difference = (y2 * z1_squared * z1 - y1) % P
    if h == 0:
        return _double(left) if difference == 0 else _INFINITY
    h_squared = h * h % P
    h_cubed = h_squared * h % P
    v = x1 * h_squared % P
    x3 = (difference * difference - h_cubed - 2 * v) % P
    return x3, (difference * (v - x3) - y1 * h_cubed) % P, z1 * h % P


def _to_affine(point: _Jacobian) -> Point | None:
    """Return the coordinates of a point; None for the point at infinity."""
    x, y, z = point
    if z == 0:
        return None
    inverse = pow(z, -1, P)
    return x * inverse * inverse % P, y * inverse * inverse * inverse % P
