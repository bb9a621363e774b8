"""Versions and URLs."""

from .builders import Questions, combine_choices, methods, table_lines

VERSIONS = table_lines(
    r"""
    "1.2.3"
    "v1.2.3"
    "1.2"
    "1"
    "1.2.3-beta.1+b345"
    "1.2.3+meta"
    "0.0.0"
    ""
    "1.02.3"
    "1.2.3-01"
    "1.2.3.4"
    "a"
    "1.2.3-"
    "99999999999999999999.1"
    " 1.2.3"
    "18446744073709551615.0.0"
    "1.2.3-é"
    "V1.2.3"
    "3-rc.1"
    "1.2.3-2"
    "1.2.3-a-b"
    """
)
CANDIDATES = ('"1.2.3"', '"1.3.0"', '"2.0.0"', '"1.2.3-beta.2"', '"0.2.9"', '"0.0.3"')
CONSTRAINTS = table_lines(
    r"""
    "1.2.3"
    "=1.2"
    "!=1.2"
    "!=1"
    "!=1.2.3"
    "!=1.2-beta"
    ">1"
    ">1.2"
    ">1.2.3-alpha"
    "<2"
    "<=1.2"
    "<=1.2.3"
    "<=1"
    ">=1.2.3"
    "=>1"
    "=<2"
    "~1.2.3"
    "~1"
    "~>1.2"
    "^1.2.3"
    "^0.2.3"
    "^0.0.3"
    "^0"
    "*"
    "1.x"
    "1.2.*"
    ">= 1.2, < 2"
    ">=1.2 <2"
    "1.2 - 2"
    "~0.2 || ^2"
    "^1.2.3-beta.1"
    "!=*"
    """
)
BAD_CONSTRAINTS = table_lines(
    r"""
    ""
    "foo"
    "1.2.3 foo"
    "||"
    ">"
    "1.2.3,,1"
    "99999999999999999999"
    "01x"
    """
)
VERSION_METHODS = table_lines(
    r"""
    Major
    Minor
    Patch
    Prerelease
    Metadata
    Original
    String
    Value
    IncMajor
    IncMinor
    IncPatch
    SetPrerelease `rc.1`
    SetPrerelease `01`
    SetPrerelease `é`
    SetMetadata `b`
    MarshalText
    SetMetadata `é`
    Compare $u
    Equal $u
    LessThan $u
    LessThanEqual $u
    GreaterThan $u
    GreaterThanEqual $u
    IncPatch.Original
    Nothing
    SetMetadata 1
    Compare 1
    Compare nil
    Equal nil
    LessThan nil
    """
)
URLS = table_lines(
    r"""
    ""
    "*"
    "/a%20b?q=1#f"
    "https://user:pa%40ss@host:8080/p?q#f"
    "mailto:a@b.c"
    "//host/path"
    "rel/path"
    "rel:a/b"
    "1http://x"
    "h+t-t.p://X"
    "HTTP://X/Y"
    "x:/"
    "http://[::1]:80/x"
    "http://[::]/"
    "http://[fe80::1%25en0]/"
    "http://[::ffff:1.2.3.4]/"
    "http:///p"
    "http://u@h@k/"
    "http://u:p:q@h/"
    "http://h?"
    "http://h/#a%20b"
    "postgres://h:1,i:2/d"
    "http://é/ü?ö#ä"
    "http://%c3%a9/"
    "?q"
    "#f"
    "http://a/b%2fc;d=1,e!$&'()*+"
    """
)
BAD_URLS = table_lines(
    r"""
    ":x"
    "a b:c"
    "a:b%"
    "http://a/%zz"
    "http://a/%"
    "http://h/#%zz"
    "http://%41/"
    "http://a b/"
    "http://a\x00b/"
    "http://us er@h/"
    "http://u%zz@h/"
    "http://h:p/"
    "http://h:80:90/"
    "http://x[::1]/"
    "http://[::1"
    "http://[::1]a/"
    "http://[::1]:x/"
    "http://[1.2.3.4]/"
    "http://[1.2.3]/"
    "http://[1.2.3.256]/"
    "http://[01.2.3.4]/"
    "http://[1.2.3.4.5]/"
    "http://[1..3.4]/"
    "http://[1.2.3.x]/"
    "http://[]/"
    "http://[x]/"
    "http://[%25]/"
    "http://[::1%25]/"
    "http://[::1%25%c3]/"
    "http://[1:2]/"
    "http://[::g]/"
    "http://[1::2::3]/"
    "http://[::12345]/"
    "http://[1:2:3:4:5:6:7:8:9]/"
    "http://[1:]/"
    "http://[1:2:3:4:5:6:7::8]/"
    "http://[1:1.2.3.4]/"
    "http://[1:2:3:4:5:6:7::1.2.3.4]/"
    "http://[1x::]/"
    "http://[1:2:3:4:5:6:7:1.2.3.4]/"
    "http://[::1.2.3]/"
    "http://[:]/"
    "http://a^b/"
    "http://a\\b/"
    """
)
PARTS = (
    "",
    *table_lines(
        r"""
        "scheme" "http" "host" "h:80" "path" "/a b" "query" "q=1" "fragment" "f #"
        "scheme" "mailto" "opaque" "a@b.c"
        "host" "h" "path" "p"
        "path" "a:b/c"
        "path" "*"
        "scheme" "x" "path" "//y"
        "scheme" "http"
        "host" "[::1]" "userinfo" "u:p%40 ä"
        "host" "h" "userinfo" "ü"
        "host" "h" "userinfo" "u%zz"
        "host" "é<>" "userinfo" "u:p/?"
        "host" "h" "hostname" "ignored"
        "userinfo" "u"
        "scheme" 1
        "path" nil
        "host" (list)
        """
    ),
)

QUESTIONS: Questions = {
    "semver": (
        *VERSIONS,
        *methods('(semver "v1.2.3-beta.1+m")', '(semver "1.2.3")', VERSION_METHODS),
    ),
    "semverCompare": (
        *combine_choices(CONSTRAINTS, CANDIDATES),
        *combine_choices(BAD_CONSTRAINTS, ('"1.2.3"',)),
        *combine_choices(('"*"',), VERSIONS),
    ),
    "urlParse": (*URLS, *BAD_URLS),
    "urlJoin": tuple(f"(dict {parts})" for parts in PARTS),
}
