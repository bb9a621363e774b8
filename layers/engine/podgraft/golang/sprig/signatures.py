"""The signatures of sprig's functions. The first call of a function imports its body.

The parameters have Go's types, so the engine rejects the same arguments as Go.
"""

from collections.abc import Mapping
from functools import partial
from importlib import import_module

from msgspec.structs import replace

from podgraft.golang.reflect import ANY, ANY_MAP, BOOL, FLOAT64, INT, STRING, GoType, Value
from podgraft.golang.texttemplate.functions import Function
from podgraft.golang.time import TIME

NEWEST_CAST = "1.10"


class LazyFunction:
    """The function ``MODULE.NAME`` of this package; ``cast`` is its first argument, if set."""

    __slots__ = ("_call", "cast", "path")

    def __init__(self, path: str, cast: str = "") -> None:
        self.path = path
        self.cast = cast
        self._call = self._load_and_call

    def __call__(self, *arguments: Value) -> Value:
        """Call the function; the first call imports it."""
        return self._call(*arguments)

    def _load_and_call(self, *arguments: Value) -> Value:
        module, _, name = self.path.partition(".")
        call = getattr(import_module(f"{__package__}.{module}"), name)
        self._call = partial(call, _lookup_cast(self.cast)) if self.cast else call
        return self._call(*arguments)


def _lookup_cast(release: str) -> Value:
    from .cast import CASTS  # a cold start loads no body

    return CASTS[release]


def _function(path: str, *parameters: GoType, variadic: GoType | None = None) -> Function:
    return Function(LazyFunction(path), parameters, variadic)


def _number_function(path: str, *parameters: GoType, variadic: GoType | None = None) -> Function:
    """A function that converts its arguments with cast."""
    return Function(LazyFunction(path, NEWEST_CAST), parameters, variadic)


def select_cast(functions: Mapping[str, Function], cast: str) -> Mapping[str, Function]:
    """The functions with the conversions of a release of cast (a key of ``CASTS``)."""
    return {name: _replace_cast(function, cast) for name, function in functions.items()}


def _replace_cast(function: Function, cast: str) -> Function:
    call = function.call
    if not isinstance(call, LazyFunction) or call.cast in ("", cast):
        return function
    return replace(function, call=LazyFunction(call.path, cast))


FUNCTIONS: Mapping[str, Function] = {
    # strings
    "hello": _function("strings.hello"),
    "upper": _function("strings.upper", STRING),
    "lower": _function("strings.lower", STRING),
    "title": _function("strings.title", STRING),
    "trim": _function("strings.trim", STRING),
    "trimall": _function("strings.trim_all", STRING, STRING),
    "trimAll": _function("strings.trim_all", STRING, STRING),
    "trimPrefix": _function("strings.trim_prefix", STRING, STRING),
    "trimSuffix": _function("strings.trim_suffix", STRING, STRING),
    "contains": _function("strings.contains", STRING, STRING),
    "hasPrefix": _function("strings.has_prefix", STRING, STRING),
    "hasSuffix": _function("strings.has_suffix", STRING, STRING),
    "replace": _function("strings.replace", STRING, STRING, STRING),
    "repeat": _function("strings.repeat", INT, STRING),
    "trunc": _function("strings.trunc", INT, STRING),
    "substr": _function("strings.substr", INT, INT, STRING),
    "indent": _function("strings.indent", INT, STRING),
    "nindent": _function("strings.nindent", INT, STRING),
    "split": _function("strings.split", STRING, STRING),
    "splitn": _function("strings.splitn", STRING, INT, STRING),
    "splitList": _function("strings.split_list", STRING, STRING),
    "plural": _function("strings.plural", STRING, STRING, INT),
    # words
    "untitle": _function("text.untitle", STRING),
    "swapcase": _function("text.swapcase", STRING),
    "initials": _function("text.initials", STRING),
    "nospace": _function("text.nospace", STRING),
    "abbrev": _function("text.abbrev", INT, STRING),
    "abbrevboth": _function("text.abbrevboth", INT, INT, STRING),
    "wrap": _function("text.wrap", INT, STRING),
    "wrapWith": _function("text.wrap_with", INT, STRING, STRING),
    # casing
    "snakecase": _function("case.snakecase", STRING),
    "kebabcase": _function("case.kebabcase", STRING),
    "camelcase": _function("case.camelcase", STRING),
    # conversion
    "toString": _function("conversion.strval", ANY),
    "toStrings": _function("conversion.to_strings", ANY),
    "join": _function("conversion.join", STRING, ANY),
    "quote": _function("conversion.quote", variadic=ANY),
    "squote": _function("conversion.squote", variadic=ANY),
    "cat": _function("conversion.cat", variadic=ANY),
    # lists
    "list": _function("lists.list_", variadic=ANY),
    "tuple": _function("lists.list_", variadic=ANY),
    "concat": _function("lists.concat", variadic=ANY),
    "sortAlpha": _function("lists.sort_alpha", ANY),
    "append": _function("lists.append", ANY, ANY),
    "push": _function("lists.append", ANY, ANY),
    "prepend": _function("lists.prepend", ANY, ANY),
    "first": _function("lists.first", ANY),
    "last": _function("lists.last", ANY),
    "rest": _function("lists.rest", ANY),
    "initial": _function("lists.initial", ANY),
    "reverse": _function("lists.reverse", ANY),
    "compact": _function("lists.compact", ANY),
    "uniq": _function("lists.uniq", ANY),
    "without": _function("lists.without", ANY, variadic=ANY),
    "has": _function("lists.has", ANY, ANY),
    "slice": _number_function("lists.slice_", ANY, variadic=ANY),
    "chunk": _function("lists.chunk", INT, ANY),
    "mustAppend": _function("lists.append", ANY, ANY),
    "mustPush": _function("lists.append", ANY, ANY),
    "mustPrepend": _function("lists.prepend", ANY, ANY),
    "mustFirst": _function("lists.first", ANY),
    "mustLast": _function("lists.last", ANY),
    "mustRest": _function("lists.rest", ANY),
    "mustInitial": _function("lists.initial", ANY),
    "mustReverse": _function("lists.reverse", ANY),
    "mustCompact": _function("lists.compact", ANY),
    "mustUniq": _function("lists.uniq", ANY),
    "mustWithout": _function("lists.without", ANY, variadic=ANY),
    "mustHas": _function("lists.has", ANY, ANY),
    "mustSlice": _number_function("lists.slice_", ANY, variadic=ANY),
    "mustChunk": _function("lists.chunk", INT, ANY),
    # dicts
    "dict": _function("dicts.dict_", variadic=ANY),
    "get": _function("dicts.get", ANY_MAP, STRING),
    "set": _function("dicts.set_", ANY_MAP, STRING, ANY),
    "unset": _function("dicts.unset", ANY_MAP, STRING),
    "hasKey": _function("dicts.has_key", ANY_MAP, STRING),
    "pluck": _function("dicts.pluck", STRING, variadic=ANY_MAP),
    "keys": _function("dicts.keys", variadic=ANY_MAP),
    "values": _function("dicts.values", ANY_MAP),
    "pick": _function("dicts.pick", ANY_MAP, variadic=STRING),
    "omit": _function("dicts.omit", ANY_MAP, variadic=STRING),
    "dig": _function("dicts.dig", variadic=ANY),
    # merging
    "merge": _function("merge.merge", ANY_MAP, variadic=ANY_MAP),
    "mergeOverwrite": _function("merge.merge_overwrite", ANY_MAP, variadic=ANY_MAP),
    "mustMerge": _function("merge.must_merge", ANY_MAP, variadic=ANY_MAP),
    "mustMergeOverwrite": _function("merge.merge_overwrite", ANY_MAP, variadic=ANY_MAP),
    # deep
    "deepEqual": _function("deepcopy.deep_equal", ANY, ANY),
    "deepCopy": _function("deepcopy.copy", ANY),
    "mustDeepCopy": _function("deepcopy.copy", ANY),
    # defaults
    "empty": _function("defaults.empty", ANY),
    "default": _function("defaults.default", ANY, variadic=ANY),
    "coalesce": _function("defaults.coalesce", variadic=ANY),
    "all": _function("defaults.all_", variadic=ANY),
    "any": _function("defaults.any_", variadic=ANY),
    # flow
    "ternary": _function("control.ternary", ANY, ANY, BOOL),
    "fail": _function("control.fail", STRING),
    # reflection
    "typeOf": _function("reflection.type_name", ANY),
    "typeIs": _function("reflection.type_is", STRING, ANY),
    "typeIsLike": _function("reflection.type_is_like", STRING, ANY),
    "kindOf": _function("reflection.kind_name", ANY),
    "kindIs": _function("reflection.kind_is", STRING, ANY),
    # casting
    "int": _number_function("cast.to_int", ANY),
    "int64": _number_function("cast.to_int64", ANY),
    "float64": _number_function("cast.to_float", ANY),
    "atoi": _function("cast.atoi", STRING),
    "toDecimal": _function("cast.to_decimal", ANY),
    # arithmetic
    "add": _number_function("arithmetic.add", variadic=ANY),
    "add1": _number_function("arithmetic.add1", ANY),
    "sub": _number_function("arithmetic.sub", ANY, ANY),
    "mul": _number_function("arithmetic.mul", ANY, variadic=ANY),
    "div": _number_function("arithmetic.div", ANY, ANY),
    "mod": _number_function("arithmetic.mod", ANY, ANY),
    "max": _number_function("arithmetic.max_", ANY, variadic=ANY),
    "biggest": _number_function("arithmetic.max_", ANY, variadic=ANY),
    "min": _number_function("arithmetic.min_", ANY, variadic=ANY),
    "maxf": _number_function("arithmetic.maxf", ANY, variadic=ANY),
    "minf": _number_function("arithmetic.minf", ANY, variadic=ANY),
    "floor": _number_function("arithmetic.floor", ANY),
    "ceil": _number_function("arithmetic.ceil", ANY),
    "round": _number_function("arithmetic.round_", ANY, INT, variadic=FLOAT64),
    "until": _function("arithmetic.until", INT),
    "untilStep": _function("arithmetic.until_step", INT, INT, INT),
    "seq": _function("arithmetic.seq", variadic=INT),
    # decimals
    "addf": _number_function("decimals.addf", variadic=ANY),
    "add1f": _number_function("decimals.add1f", ANY),
    "subf": _number_function("decimals.subf", ANY, variadic=ANY),
    "mulf": _number_function("decimals.mulf", ANY, variadic=ANY),
    "divf": _number_function("decimals.divf", ANY, variadic=ANY),
    # dates
    "date": _function("dates.date", STRING, ANY),
    "dateInZone": _function("dates.date_in_zone", STRING, ANY, STRING),
    "date_in_zone": _function("dates.date_in_zone", STRING, ANY, STRING),
    "htmlDate": _function("dates.html_date", ANY),
    "htmlDateInZone": _function("dates.html_date_in_zone", ANY, STRING),
    "dateModify": _function("dates.date_modify", STRING, TIME),
    "date_modify": _function("dates.date_modify", STRING, TIME),
    "mustDateModify": _function("dates.must_date_modify", STRING, TIME),
    "must_date_modify": _function("dates.must_date_modify", STRING, TIME),
    "toDate": _function("dates.to_date", STRING, STRING),
    "mustToDate": _function("dates.must_to_date", STRING, STRING),
    "unixEpoch": _function("dates.unix_epoch", TIME),
    "duration": _function("dates.duration", ANY),
    "durationRound": _function("dates.duration_round", ANY),
    # encoding
    "b64enc": _function("encoding.b64enc", STRING),
    "b64dec": _function("encoding.b64dec", STRING),
    "b32enc": _function("encoding.b32enc", STRING),
    "b32dec": _function("encoding.b32dec", STRING),
    "sha1sum": _function("encoding.sha1sum", STRING),
    "sha256sum": _function("encoding.sha256sum", STRING),
    "sha512sum": _function("encoding.sha512sum", STRING),
    "adler32sum": _function("encoding.adler32sum", STRING),
    # jsontext
    "fromJson": _function("json_functions.from_json", STRING),
    "mustFromJson": _function("json_functions.must_from_json", STRING),
    "toJson": _function("json_functions.to_json", ANY),
    "mustToJson": _function("json_functions.must_to_json", ANY),
    "toPrettyJson": _function("json_functions.to_pretty_json", ANY),
    "mustToPrettyJson": _function("json_functions.must_to_pretty_json", ANY),
    "toRawJson": _function("json_functions.to_raw_json", ANY),
    "mustToRawJson": _function("json_functions.to_raw_json", ANY),
    # regex
    "regexMatch": _function("regex.match", STRING, STRING),
    "mustRegexMatch": _function("regex.must_match", STRING, STRING),
    "regexQuoteMeta": _function("regex.quote_meta", STRING),
    "regexFind": _function("regex.find", STRING, STRING),
    "mustRegexFind": _function("regex.must_find", STRING, STRING),
    "regexFindAll": _function("regex.find_all", STRING, STRING, INT),
    "mustRegexFindAll": _function("regex.must_find_all", STRING, STRING, INT),
    "regexSplit": _function("regex.split", STRING, STRING, INT),
    "mustRegexSplit": _function("regex.must_split", STRING, STRING, INT),
    "regexReplaceAll": _function("regex.replace_all", STRING, STRING, STRING),
    "mustRegexReplaceAll": _function("regex.must_replace_all", STRING, STRING, STRING),
    "regexReplaceAllLiteral": _function("regex.replace_all_literal", STRING, STRING, STRING),
    "mustRegexReplaceAllLiteral": _function(
        "regex.must_replace_all_literal", STRING, STRING, STRING
    ),
    # semver
    "semver": _function("semver.semver", STRING),
    "semverCompare": _function("semver.semver_compare", STRING, STRING),
    # urls
    "urlParse": _function("url_functions.url_parse", STRING),
    "urlJoin": _function("url_functions.url_join", ANY_MAP),
    # paths
    "base": _function("paths.base", STRING),
    "dir": _function("paths.dir_", STRING),
    "clean": _function("paths.clean", STRING),
    "ext": _function("paths.ext", STRING),
    "isAbs": _function("paths.is_abs", STRING),
    "osBase": _function("paths.base", STRING),
    "osDir": _function("paths.dir_", STRING),
    "osClean": _function("paths.clean", STRING),
    "osExt": _function("paths.ext", STRING),
    "osIsAbs": _function("paths.is_abs", STRING),
}
