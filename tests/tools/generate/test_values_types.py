"""The table of values is what its data says, and the data is what protobuf files say."""

from pathlib import Path

import pytest

import values_types

PROTO = """
syntax = 'proto3';
enum Mode {
  // none; at all
  NONE = 0;
  ALL = 1 [deprecated = true];
}
message Values {
  Global global = 1; // with a comment
  map<string, string> limits = 2;
  repeated google.protobuf.Struct istio_list = 3
    [deprecated = true];
  google.protobuf.BoolValue on = 4 [json_name = "istio-on"];
  Mode mode = 5;
  message Inner { string deep = 1; }
  TypeInterface tag = 6;
}
message Global {
  Values back = 1;
}
message Unused {
}
"""


def test_the_table_is_fresh() -> None:
    expected = values_types.make_table()
    assert values_types.TARGET.read_text(encoding="utf-8") == expected
    assert values_types.main(["--check"]) == 0


def test_a_stale_table_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "values.json"
    target.write_text("")
    monkeypatch.setattr(values_types, "TARGET", target)
    assert values_types.main(["--check"]) == 1
    assert values_types.main([]) == 0
    assert values_types.main(["--check"]) == 0


def test_messages_are_read_from_protobuf_files() -> None:
    assert values_types.parse(PROTO)["Values"] == {
        "global": "Global",
        "limits": "{}string",
        "istioList": "[]struct",
        "istio_list": "[]struct",
        "istio-on": "bool",
        "on": "bool",
        "mode": "NONE|ALL",
        "tag": "any",
    }
