"""The modules of newer features, which tools/count_lines.py leaves out."""

from count_lines import read_features


def test_each_line_names_modules_and_no_module_has_two_features() -> None:
    modules = [module for found in read_features().values() for module in found]
    assert len(modules) > 100
    assert len(modules) == len({*modules})
