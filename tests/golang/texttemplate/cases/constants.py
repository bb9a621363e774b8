"""Number constants, printed with their types and handed to a parameter of each kind."""

NUMBERS = (
    # Decimal
    *("0", "1", "-1", "+1", "-0", "+0", "00", "1_000", "9223372036854775807"),
    *("-9223372036854775808", "9223372036854775808", "18446744073709551615"),
    *("18446744073709551616", "-9223372036854775809"),
    # Hexadecimal, octal, binary
    *("0x10", "0X1F", "0x_1F", "-0x10", "0xFFFFFFFFFFFFFFFF", "0x1e5", "-0x1e5", "017", "0o17"),
    *("0O17", "0_17", "0b101", "0B1_0", "+0b1", "09", "0b2", "0x", "0_", "_1", "1_"),
    # Floating point
    *("1.5", "-1.5", ".5", "5.", "1e3", "1E3", "1e+3", "1e-3", "1_0.2_5", "1e18", "1e19", "1e20"),
    *("-0.0", "1.7976931348623157e308", "1e309", "5e-324", "1e-400", "0x1p4", "0x1.8p1", "0x1p-2"),
    *("0X1P+3", "0x.8p0", "0x1p1024", "0x1p-1080", "-1e18", "9223372036854775808.0", "1e1_0"),
    # Characters
    *("'a'", "'é'", "'\\n'", "'\\x7f'", "'\\377'", "'\\U0001F600'", "'e'", "'.'", "'p'"),
    # Imaginary and complex
    *("1i", "0i", "-1.5i", "1e3i", "0x1p4i", "0x10i", "1+2i", "1-2i", "1.5+0i", "-1+1e3i", "1+0i"),
    *("300+0i", "0x1p4+1i", "1_0+2_0i", "1i+2i", "+1-0i"),
)
_SHOWN = ("takesAny", "takesInt", "takesInt8", "takesUint8", "takesFloat32", "takesComplex")
TEMPLATES = (
    *(f"{{{{{number}}}}}" for number in NUMBERS),
    *(f"{{{{{probe} {number}}}}}" for number in NUMBERS for probe in _SHOWN),
)
