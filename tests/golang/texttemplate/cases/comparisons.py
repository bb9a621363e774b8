"""Comparisons of every kind with every other."""

OPERANDS = (
    *(
        "true",
        "false",
        "nil",
        "1",
        "2",
        "-1",
        "1.5",
        "2.0",
        "1i",
        '"a"',
        '"b"',
        '""',
        "'a'",
        ".null",
    ),
    *(
        ".missing",
        ".i",
        ".i8",
        ".i64",
        ".u8",
        ".u64",
        ".fl",
        ".f32",
        ".c",
        ".s",
        ".w",
        ".fg",
        ".lv",
    ),
    *(".l", ".ss", ".nss", ".m", ".sm", ".nsm", ".ar", ".by", ".pt", ".th.Point", ".nth", ".pth"),
    *(".fault", ".th.Any"),
)
_BASIC = OPERANDS[:27]
TEMPLATES = (
    *(f"{{{{eq {left} {right}}}}}" for left in OPERANDS for right in OPERANDS),
    *(f"{{{{lt {left} {right}}}}}" for left in _BASIC for right in _BASIC),
    *(f"{{{{{name} {each} {each}}}}}" for name in ("ne", "le", "gt", "ge") for each in OPERANDS),
    # Several at once
    "{{eq 1 2 1}} {{eq 1 2 3}} {{eq `a` `b` `a`}} {{eq 1 1 `a`}} {{1 | eq 1}} {{eq nil nil 1}}",
    "{{eq 1 `a` 1}}",
    "{{eq 1 2 `a`}}",
    "{{2 | lt 1}} {{1 | lt 2}} {{1 | ge 1}} {{`a` | ne `a`}}",
    # Signed with unsigned
    "{{eq .u8 9}} {{eq 9 .u8}} {{eq -1 .u64}}",
    "{{lt -1 .u8}} {{lt .u8 -1}} {{le .u8 9}} {{gt .u8 1}}",
    "{{eq .u8 .i8}} {{lt .i8 .u64}} {{ge .u64 .i}} {{eq .lv 2}} {{eq 2 .lv}} {{eq .w `named`}}",
    # Not a number
    "{{eq .nan .nan}} {{lt .nan 1.0}} {{le .nan 1.0}}",
    "{{gt .nan 1.0}} {{ge .nan 1.0}} {{ne .nan .nan}}",
    # Strings by their bytes
    '{{lt "a" "b"}} {{lt "a" "é"}} {{lt "é" "\\xff"}}',
    '{{lt "\\xff" "日"}} {{le "" "a"}} {{gt "b" "a"}}',
    # Pointers, structs
    "{{eq .pth .pth}} {{eq .nth .nth}} {{eq .nth nil}}",
    "{{eq .pth nil}} {{eq .pt .th.Point}} {{eq .pi .pi}}",
    "{{eq .th .th}}",
    "{{eq .box .box}} {{eq .box .boxed}} {{eq .box .list}} {{eq .box .pt}}",
    "{{eq .list .list}}",
    "{{eq .box nil}} {{eq .boxed .boxed}} {{ne .box .boxed}}",
    "{{eq .fault .fault}} {{eq .fault nil}}",
)
