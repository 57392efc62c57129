"""The field tables of a rule file, for the validator, the JSON Schema and the documentation."""

from __future__ import annotations

from perfgate.config.programs import ARGPARSE, FLAG_LIST, GFLAGS, LLVM, TORCH, TRTEXEC
from perfgate.core.finding import Severity
from perfgate.guardrails.metric_names import METRIC_NAMES
from perfgate.guardrails.quantity import NumberType
from perfgate.guardrails.rule import Kind
from perfgate.guardrails.shape import Either, Field, ListOf, MapOf, Scalar, Self, Table

TEXT = Scalar(what="a text", min_length=1)
VALUE = Scalar(what="a value", json_types=("string", "number", "boolean"))
SEVERITY = Scalar(what="a severity", choices=tuple(item.value for item in reversed(Severity)))
GLOBS = ListOf(item=TEXT, allows_one=True)
TEXTS = ListOf(item=VALUE, allows_one=True, min_items=1)
FLAGS = ListOf(item=TEXT, allows_one=True, min_items=1)
NUMBER = Scalar(
    what="a number, with a unit where it has one", json_types=("string", "number"), pattern=r"\S.*"
)
NUMBER_TYPE = Scalar(
    what="a type", choices=tuple(item.value for item in NumberType if item is not NumberType.PERCENT)
)
BOOL = Scalar(what="true or false", choices=("true", "false"), json_types=("boolean",))
COUNT = Scalar(what="a whole number", pattern=r"\d{1,9}", json_types=("integer",))
PERCENT = Scalar(what="a percentage such as 8%", pattern=r"\d{1,3}(\.\d+)?%")

DIALECT = Scalar(what="a dialect", choices=(GFLAGS, TRTEXEC, LLVM, ARGPARSE, FLAG_LIST, TORCH))
METRIC = Scalar(what="a metric", choices=METRIC_NAMES)

WHEN = Table(
    name="when",
    fields=(
        Field(
            "flag",
            MapOf(value=TEXTS, what="flag", min_items=1),
            "flags that are there with one of these values",
        ),
        Field("has", FLAGS, "at least one of these flags is there"),
        Field("shows", FLAGS, "at least one of these flags is written here, whatever may follow"),
        Field("lacks", FLAGS, "none of these flags is there"),
        Field("device", TEXTS, "globs on --soc_version, --target or the key device.*"),
        Field("model", TEXTS, "globs on the file name of the model"),
        Field("precision", TEXTS, "fp32, fp16, bf16, int8, int4, fp8 or mixed, as the flags ask for it"),
        Field("path", TEXTS, "globs on the path of the file"),
        Field("open", BOOL, "true: more arguments follow than the file shows"),
        Field("any", ListOf(item=Self(name="when")), "at least one of these conditions holds"),
        Field("not", Self(name="when"), "this condition does not hold"),
    ),
)

_RANGE = Table(
    name="range",
    fields=(
        Field("min", NUMBER, "smallest value allowed"),
        Field("max", NUMBER, "largest value allowed"),
        Field("type", NUMBER_TYPE, "what the value must be"),
    ),
)
_EACH = Table(
    name="values",
    fields=(
        Field("each", TEXTS, "values that items of a list may have"),
        Field("sep", TEXT, "what separates the items; a comma without it"),
        Field("glob", TEXTS, "a pattern, or several, of which one must fit"),
    ),
)
_KEY = Table(
    name="keys",
    fields=(
        Field("equals", VALUE, "the only value allowed"),
        Field("values", TEXTS, "the values allowed"),
        Field("min", NUMBER, "smallest value allowed"),
        Field("max", NUMBER, "largest value allowed"),
        Field("type", NUMBER_TYPE, "what the value must be"),
        Field("required", BOOL, "true: the key must be there"),
    ),
)
_SELECTOR = Table(
    name="consistent",
    fields=(
        Field("target", TEXT, "a target", is_required=True),
        Field("flag", TEXT, "a flag of its commands"),
        Field("key", TEXT, "a key of its files"),
        Field("env", TEXT, "a variable it sets"),
    ),
    one_of=("flag", "key", "env"),
)
BUDGET = Table(
    name="budget",
    fields=(
        Field("metric", METRIC, "the metric", is_required=True),
        Field("max", NUMBER, "largest value allowed; `<` before it excludes the value itself"),
        Field("min", NUMBER, "smallest value allowed; `>` before it excludes the value itself"),
        Field("benchmark", TEXT, "glob on the benchmark"),
        Field("device", TEXT, "glob on the device"),
        Field("op", TEXT, "glob on operators of the profile; their time is judged"),
        Field("warn_band", PERCENT, "missed by at most this share of the target: a warning"),
    ),
    one_of=("max", "min"),
)
ALERT = Table(
    name="alert",
    fields=(
        Field("all", ListOf(item=TEXT, min_items=1), "conditions that must all hold"),
        Field("any", ListOf(item=TEXT, min_items=1), "conditions of which one must hold"),
        Field("action", TEXT, "what to do then", is_required=True),
    ),
    one_of=("all", "any"),
)

_FLAG_VALUES = MapOf(
    value=Either(choices=(Scalar(what="a value", json_types=VALUE.json_types, allows_null=True), TEXTS)),
    what="flag",
    min_items=1,
)
KIND_FIELDS = (
    Field(
        Kind.REQUIRE.value,
        _FLAG_VALUES,
        "flags that must be there with one of these values (null: any value)",
    ),
    Field(Kind.FORBID.value, FLAGS, "flags, `FLAG=VALUE` or `FLAG>0`, that must not be there"),
    Field(
        Kind.VALUES.value,
        MapOf(value=Either(choices=(TEXTS, _EACH, VALUE)), what="flag", min_items=1),
        "values allowed where it is there",
    ),
    Field(
        Kind.RANGE.value, MapOf(value=_RANGE, what="flag", min_items=1), "numbers allowed where it is there"
    ),
    Field(Kind.AT_MOST_ONE.value, ListOf(item=TEXT, min_items=2), "flags of which only one may be there"),
    Field(Kind.ALL_OR_NONE.value, ListOf(item=TEXT, min_items=2), "flags that belong together"),
    Field(
        Kind.KEYS.value,
        MapOf(value=_KEY, what="key path", min_items=1),
        "keys of files and what they must be",
    ),
    Field(Kind.CONSISTENT.value, ListOf(item=_SELECTOR, min_items=2), "places whose values must agree"),
    Field(Kind.BUDGET.value, BUDGET, "a limit on a measured metric"),
    Field(
        Kind.TARGETS_MATRIX.value, ListOf(item=BUDGET, min_items=1), "several limits, one table in the report"
    ),
    Field(Kind.ALERT.value, ALERT, "conditions on the counters of a profile"),
)
_EXPECT = Table(
    name="expect",
    fields=(Field("min_matches", COUNT, "fail when fewer places are matched", is_required=True),),
)
_FIX = Table(
    name="fix", fields=(Field("set", MapOf(value=VALUE, what="flag"), "flag and the value to write"),)
)
_EXAMPLES = Table(
    name="examples",
    fields=(
        Field("valid", ListOf(item=TEXT), "texts the rule must accept"),
        Field("invalid", ListOf(item=TEXT), "texts the rule must refuse"),
    ),
)
RULE = Table(
    name="rule",
    fields=(
        Field(
            "id",
            Scalar(what="lower-case letters, digits and -", pattern=r"[a-z0-9-]+"),
            "its name",
            is_required=True,
        ),
        Field("target", TEXT, "what it watches; not for consistent, budget, targets_matrix, alert"),
        *KIND_FIELDS,
        Field("when", WHEN, "the rule applies only if this holds"),
        Field("paths", GLOBS, "globs on files; without it all"),
        Field("severity", SEVERITY, "error without it"),
        Field("message", TEXT, "why the rule exists; shown with each finding"),
        Field("link", TEXT, "where to read more"),
        Field("fix", _FIX, "what to write instead"),
        Field("expect", _EXPECT, "how many places must match"),
        Field("unresolved", SEVERITY, "severity of an unknown answer"),
        Field("examples", _EXAMPLES, "run by `perfgate guard test`"),
    ),
    one_of=tuple(kind.value for kind in Kind),
)
TARGET = Table(
    name="target",
    fields=(
        Field("programs", FLAGS, "names of programs, exact or globs"),
        Field("dialect", DIALECT, "how its flags are written; gflags without it, for programs of your own"),
        Field("env", FLAGS, "names of variables that hold flags"),
        Field("files", FLAGS, "globs on files whose keys are watched"),
        Field("flags_key", TEXT, "key of those files whose text holds flags"),
        Field("extends", TEXT, "another target whose fields are taken over"),
        Field("paths", GLOBS, "globs on files; without it all"),
        Field("applies", WHEN, "only calls for which this holds"),
        Field("flags_known", FLAGS, "flags that are right although the catalogue lacks them"),
    ),
)
_PATHS = Table(
    name="paths",
    fields=(Field("include", GLOBS, "files that are judged"), Field("exclude", GLOBS, "files that are not")),
)
SETTINGS = Table(
    name="settings",
    fields=(
        Field("fail_on", SEVERITY, "lowest severity that fails; error without it"),
        Field("unresolved", SEVERITY, "severity of an unknown answer; warn without it"),
        Field("unknown_flag", SEVERITY, "severity of a flag the catalogue lacks; note without it"),
        Field(
            "weakening", SEVERITY, "severity of a weakened rule, read from the base commit; error without it"
        ),
        Field("waiver_max_days", COUNT, "longest time a waiver may run; 90 without it"),
        Field("paths", _PATHS, "which files are judged"),
        Field("max_file_size", NUMBER, "larger files are not read and answer unknown; 1MiB without it"),
        Field("alerts", FLAGS, "shipped alert rules to switch on, or `all`"),
    ),
)
_DATE = Scalar(what="a date such as 2027-02-15", pattern=r"\d{4}-\d{2}-\d{2}")
WAIVER = Table(
    name="waiver",
    fields=(
        Field("rule", TEXT, "id of the rule", is_required=True),
        Field("path", TEXT, "the file, without **", is_required=True),
        Field(
            "fingerprint",
            Scalar(what="16 hex digits, as printed", pattern=r"[0-9a-f]{16}"),
            "printed with each finding",
            is_required=True,
        ),
        Field("owner", TEXT, "who answers for it", is_required=True),
        Field(
            "reason",
            Scalar(what="at least 10 characters", min_length=10),
            "why it is accepted",
            is_required=True,
        ),
        Field("expires", _DATE, "its last valid day", is_required=True),
        Field("ticket", VALUE, "where the mending is planned"),
    ),
)
RESERVED = (
    Field("version", Scalar(what="1", choices=("1",), json_types=("integer",)), "version of this format"),
    Field("targets", MapOf(value=TARGET, what="target name"), "targets of your own"),
    Field("rules", ListOf(item=RULE), "rules in the long form"),
    Field("waivers", ListOf(item=WAIVER), "dated, owned exceptions"),
    Field("settings", SETTINGS, "settings of the check"),
)
RESERVED_NAMES = tuple(field.name for field in RESERVED)
