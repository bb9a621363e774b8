"""Numbers: casting, arithmetic, decimals and ranges."""

from .builders import Questions, combine_choices, repeat_for_functions, table_lines

NUMBERS = table_lines(
    r"""
    0
    7
    -7
    2.5
    -2.5
    1e300
    "12"
    "-12"
    "+5"
    "0x1f"
    "010"
    "08"
    "0b11"
    "0o17"
    "1_000"
    "_1"
    "1__0"
    "0x_1f"
    "12.00"
    "1.5"
    "1e3"
    ""
    " 1"
    "9223372036854775807"
    "9223372036854775808"
    "-9223372036854775808"
    "x"
    "1_0.5_0"
    "0x1p-2"
    "0x1.8p1"
    "0x.8p0"
    "inf"
    "-Infinity"
    "nan"
    "+nan"
    "1e400"
    "0x1p99999"
    ".5"
    "5."
    "1e"
    "٣"
    "99999999999999999999x"
    "00000000000000000000001"
    true
    false
    nil
    "3.7"
    "-2.9"
    "+1.25"
    "7."
    "-.5"
    "+."
    "."
    "010.7"
    "0x1.8"
    "1.2.3"
    "1.0.0"
    "3.7 "
    "1_0.5"
    "9223372036854775808.5"
    "12345678901234567890123.9"
    (list 1)
    (dict "a" 1)
    (int64 5)
    (toDate "2006" "2010").UTC
    1i
    'a'
    1e20
    (semver "1.2.3")
    (toDate "2006" "2010").Month
    (toDate "2006" "2010").Weekday
    """
)
FEW = ("0", "7", "-7", '"3"', "2.5", "nil", "(int64 9223372036854775807)", '"x"')
FLOATS = ("0.0", "0.1", "0.2", "-3.3", '"1e3"', "7", "1e308", "5e-324", "nil", '"nan"', '"-inf"')

FRACTIONS = ('"3.7"', '"-2.9"', '"7."', '"3.0"', '"1e3"')
# Functions that convert with cast, whose releases differ (record.py).
CASTS: Questions = {
    **repeat_for_functions("int int64 float64 add1", NUMBERS),
    **repeat_for_functions(
        "add mul max min biggest", (*FRACTIONS, *combine_choices(("2",), FRACTIONS))
    ),
    **repeat_for_functions("sub div mod", combine_choices(("10", '"10.9"'), FRACTIONS)),
    **repeat_for_functions(
        "slice", combine_choices(("(list 1 2 3 4)",), FRACTIONS[:1], ("", '"3.9"'))
    ),
    **repeat_for_functions("floor ceil maxf addf", NUMBERS),
}

QUESTIONS: Questions = {
    **repeat_for_functions("int int64 float64 toDecimal", NUMBERS),
    **repeat_for_functions(
        "atoi", (*(n for n in NUMBERS if n.startswith('"')), '"-99999999999999999999"')
    ),
    **repeat_for_functions("add1 add1f floor ceil", (*FEW, *FLOATS)),
    **repeat_for_functions("add addf", ("", *FEW, *combine_choices(FEW, FEW), '1 2 3 "4" 5.5')),
    **repeat_for_functions("sub div mod", combine_choices(FEW, FEW[1:])),
    **repeat_for_functions("mul", (*FEW, *combine_choices(FEW, FEW), "2 3 4")),
    **repeat_for_functions(
        "max min", (*FEW, *combine_choices(FEW, FEW[1:6]), "3 9 2", '1 (float64 "nan")')
    ),
    **repeat_for_functions("biggest", ("3", '3 "9" 2')),
    **repeat_for_functions(
        "maxf minf", (*FLOATS, *combine_choices(FLOATS, ('"inf"', "(float64 `-0`)", "1")))
    ),
    **repeat_for_functions(
        "subf mulf divf", (*FLOATS[:4], *combine_choices(FLOATS, FLOATS[1:6]), "10 2.5 2")
    ),
    **repeat_for_functions(
        "round",
        (
            *combine_choices(
                ("123.555", "-123.555", "2.5", '"1.05"', "nil", "1e300"), ("0", "2", "-2")
            ),
            *combine_choices(("2.3", "-2.3"), ("0", "1"), ("0.3", "0.9", "1.0")),
            *combine_choices(("1.5", '"inf"'), ("25", "-25", "400", "-401", "401")),
        ),
    ),
    **repeat_for_functions("until", ("-3", "-1", "0", "1", "5")),
    **repeat_for_functions(
        "untilStep",
        (
            *combine_choices(("-2", "0", "3"), ("-3", "3", "4"), ("-2", "0", "2")),
            "5 5 -1",
        ),
    ),
    **repeat_for_functions(
        "seq",
        (
            "",
            *("-2", "0", "1", "3"),
            *combine_choices(("0", "3"), ("-1", "3")),
            "0 2 5",
            "5 -2 0",
            "5 2 0",
            "0 -1 5",
            "1 0 5",
            "1 2 3 4",
            "1 9223372036854775807 1",
            "1 9223372036854775807",
            "9223372036854775806 9223372036854775807",
            "9223372036854775807 4611686018427387904 9223372036854775806",
        ),
    ),
}
