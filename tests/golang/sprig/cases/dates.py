"""Dates and durations, as far as they ask no clock."""

from .builders import Questions, combine_choices, methods, repeat_for_functions, table_lines

DATES = table_lines(
    r"""
    (toDate "2006-01-02" "2017-12-31")
    (toDate "2006-01-02T15:04:05Z07:00" "2020-02-29T23:59:59.123456789Z")
    (toDate "2006-01-02T15:04:05Z07:00" "1969-12-31T12:00:00.5-07:00")
    (toDate "Mon Jan _2 15:04:05 MST 2006" "Tue Mar  3 01:02:03 PST 2015")
    (toDate "2006" "never")
    """
)
# Winter, summer, before the first rule, and a day that Samoa omitted.
ZONED_MOMENTS = ("1485000000", "1500000000", "-5000000000", "1325203200")
ZONES = table_lines(
    r"""
    "Europe/Berlin"
    "America/New_York"
    "America/Sao_Paulo"
    "Asia/Kolkata"
    "Africa/Casablanca"
    "Pacific/Chatham"
    "Pacific/Apia"
    "Etc/GMT+5"
    "EST5EDT"
    "Factory"
    "europe/berlin"
    "Europe"
    "zone.tab"
    "/etc/localtime"
    """
)
MOMENTS = (*DATES, "0", "1500000000", "(int64 -1)", "-62135596800", "253402300800")
LAYOUTS = table_lines(
    r"""
    "2006-01-02"
    "Mon Jan _2 15:04:05 MST 2006"
    "Monday, 02-Jan-06"
    "3:04PM 03:4:5 pm 05"
    "2006-01-02T15:04:05.999999999Z07:00"
    "-0700 -07:00 -07 -070000 -07:00:00 Z0700 Z07"
    ".000 ,00 .999 .0001 2 1 1 January Janet Mont"
    "__2 002 _2006 _2"
    ""
    "é"
    """
)
READINGS = table_lines(
    r"""
    "2006-01-02" "2017-12-31"
    "2006-01-02" "2017-13-31"
    "2006-01-02" "2017-02-29"
    "2006-01-02" "2016-02-29"
    "2006-01-02" "17-12-31"
    "2006-01-02" "2017-12-31x"
    "2006-01-02" ""
    "2006-01-02" "2017/12/31"
    "Jan 2" "feb 30"
    "Jan 2" "Foo 1"
    "January 2, 2006" "MARCH 4, 1999"
    "Mon Jan _2 2006" "Xyz Jan  1 2000"
    "06" "68"
    "06" "69"
    "06" "+5"
    "06" "x1"
    "15:04" "24:00"
    "15:04" "9:60"
    "15:04:05" "1:02:60"
    "15:04" "1:2"
    "3PM" "12AM"
    "3PM" "1PM"
    "3PM" "12PM"
    "3PM" "13PM"
    "3pm" "1am"
    "3PM" "1am"
    "3:04" "0:00"
    "05" "07.25"
    "05.000" "07.25"
    "05.00" "07.25"
    "05.999" "07"
    "05,00" "07,1x"
    ".00" ".-1"
    ".00" "x12"
    ".00" ".x2"
    "05 .0" "07.5 .5"
    "002" "060"
    "2006 002" "2000 366"
    "2006 002" "2001 366"
    "2006 002 Jan" "2001 060 Feb"
    "2006 002 2" "2001 060 1"
    "2006 002 2" "2001 060 2"
    "2006 __2" "2001   9"
    "Z07:00" "Z"
    "Z07:00" "+05:30"
    "Z07:00" "+05"
    "-07:00" "+00:00"
    "-0700" "+2500"
    "-0700" "+0961"
    "-0700" "x0930"
    "-0700" "+0x30"
    "-0700" "+25x0"
    "-07:00" "+07.00"
    "-07" "-08"
    "-070000" "-080102"
    "-07:00:00" "+01:02:61"
    "MST" "UTC"
    "MST" "AB"
    "MST" "GMT"
    "MST" "GMT+3"
    "MST" "GMT-25"
    "MST" "CEST"
    "MST" "ABCD"
    "MST" "ABCDT"
    "MST" "ABCDEF"
    "MST" "ChST"
    "MST" "WITA"
    "MST" "+03"
    "MST" "xyz"
    "-0700 MST" "+0100 CET"
    "  2006" "2001"
    "2006 01" "2001    02"
    "é 2006" "è 2001"
    "_2 2" " 3 31"
    """
)
DURATIONS = table_lines(
    r"""
    "1h"
    "-1.5h"
    "300ms"
    "1h2m3.5s"
    "5us"
    "5µs"
    "5μs"
    "1ns"
    "0"
    "+3m"
    ""
    "x"
    "1"
    "1x"
    ".5h"
    "1.s"
    "."
    "1h 2m"
    "1é"
    "1.1.1s"
    "99999999999999999999h"
    "9223372036854775807ns"
    "9223372036854775808ns"
    "-9223372036854775808ns"
    "2562048h"
    "0.000000000000000000000001h"
    "1.23456789012345678901234567890h"
    "-"
    "-0"
    """
)
ROUNDED = table_lines(
    r"""
    8760h
    8761h
    720h
    721h
    24h
    25h
    1h
    61m
    1m
    61s
    1s
    1001ms
    -2h5m
    """
)
SPANS = table_lines(
    r"""
    Hours
    Minutes
    Seconds
    Milliseconds
    Microseconds
    Nanoseconds
    Abs
    String
    """
)
METHODS = table_lines(
    r"""
    Year
    Month
    Day
    Weekday
    Hour
    Minute
    Second
    Nanosecond
    YearDay
    Unix
    UnixMilli
    UnixMicro
    UnixNano
    IsZero
    IsDST
    UTC
    Local
    String
    GoString
    MarshalText
    AddDate 1 -14 30
    Add 3600000000000
    Truncate 3600000000000
    Round 60000000000
    Format `Jan 2`
    Compare $u
    After $u
    Before $u
    Equal $u
    Sub $u
    Nothing
    Format 1
    """
)

QUESTIONS: Questions = {
    "date": combine_choices(LAYOUTS, MOMENTS),
    **repeat_for_functions(
        "dateInZone date_in_zone",
        (
            *combine_choices(LAYOUTS[:2], MOMENTS[:3], ('"UTC"', '""', '"Local"')),
            *combine_choices(LAYOUTS[1:2], ZONED_MOMENTS, ZONES),
        ),
    ),
    "htmlDate": MOMENTS,
    "htmlDateInZone": combine_choices(
        MOMENTS, ('"UTC"', '"No/Zone"', '"utc"', '"../UTC"', '"Etc/UTC"', '"Pacific/Apia"')
    ),
    **repeat_for_functions("dateModify mustDateModify", combine_choices(DURATIONS, DATES[1:3])),
    **repeat_for_functions(
        "date_modify must_date_modify", combine_choices(DURATIONS[:4], DATES[1:2])
    ),
    **repeat_for_functions("toDate mustToDate", READINGS),
    "unixEpoch": (
        *DATES,
        *methods(DATES[1], DATES[2], METHODS),
        *methods(DATES[4], DATES[2], METHODS),
        *methods(f"({DATES[1]}.Sub {DATES[2]})", DATES[1], SPANS),
        *methods(f"({DATES[2]}.Sub {DATES[1]})", DATES[1], SPANS),
        *methods(DATES[0], DATES[1], ("GoString", "UTC.GoString", "Local.GoString")),
        *methods(DATES[2], DATES[1], ("GoString", "UTC.String", "Equal $t.UTC")),
    ),
    "duration": (
        *DURATIONS,
        *('"95"', '"-3600"', '"9223372036854775807"', "(int64 3661)", "95", "nil", "1.5"),
    ),
    "durationRound": (
        *DURATIONS,
        *(f'"{text}"' for text in ROUNDED),
        *("(int64 -90000000000)", "5", "nil"),
    ),
}
