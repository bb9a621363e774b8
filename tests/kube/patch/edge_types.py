"""The Go type Odd of tests/oracle/strategic/main.go: what strategic merge knows and no pod has."""

from podgraft.golang.reflect import (
    INT,
    STRING,
    STRING_MAP,
    STRINGS,
    Field,
    pointer_to,
    slice_of,
    struct_type,
)

PART = struct_type("main.Part")
PART.fields = (
    Field("ID", STRING, "id"),
    Field("Size", INT, "size", omitempty=True),
    Field("Inner", pointer_to(PART), "inner", omitempty=True),
    Field("Words", STRINGS, "words", omitempty=True, patch_strategy=("merge",)),
)
PARTS = slice_of(PART)
INLINED = struct_type("main.Inlined")
INLINED.fields = (
    Field("Parts", PARTS, "parts", merge_key="id", patch_strategy=("merge", "retainKeys")),
)
EDGE_TYPE = struct_type("main.Odd")
EDGE_TYPE.fields = (
    Field("Inlined", INLINED, "", embedded=True),
    Field("Replaced", pointer_to(PART), "replaced", patch_strategy=("replace",)),
    Field("Swapped", PARTS, "swapped", merge_key="id", patch_strategy=("replace",)),
    Field("Retained", pointer_to(PART), "retained", patch_strategy=("retainKeys",)),
    Field("Pointed", pointer_to(PARTS), "pointed", merge_key="id", patch_strategy=("merge",)),
    Field("Nested", slice_of(STRINGS), "nested", patch_strategy=("merge",)),
    Field("Words", STRINGS, "words", patch_strategy=("merge",)),
    Field("Keyless", PARTS, "keyless", patch_strategy=("merge",)),
    Field("Torn", PARTS, "torn", merge_key="id", patch_strategy=("merge", "replace")),
    Field("Labels", STRING_MAP, "labels"),
    Field("Plain", STRING, "plain"),
)
