module podgraft.dev/tests/goverify

go 1.22
