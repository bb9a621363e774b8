#!/bin/bash -eu
# Build a fuzzer for each harness of tests/fuzz, with its stored inputs as the first corpus.
cd "$SRC/podgraft"
python3 -m pip install --requirement packaging/requirements/dev.txt
python3 -m pip install --no-deps .
export PYTHONPATH="$SRC/podgraft/tests:$SRC/podgraft/layers"
for name in $(python3 -c "from fuzz.harness import HARNESSES; print(*HARNESSES)"); do
  sed "s/HARNESS_NAME/$name/" "$SRC/fuzz_harness.py" > "$SRC/fuzz_$name.py"
  compile_python_fuzzer "$SRC/fuzz_$name.py" \
    --paths "$SRC/podgraft/tests" --hidden-import "fuzz.claims.$name" \
    --add-data "$SRC/podgraft/tests:tests" --add-data "$SRC/podgraft/samples:samples"
  if [ -d "tests/fuzz/corpus/$name" ]; then
    zip --quiet --junk-paths "$OUT/fuzz_${name}_seed_corpus.zip" tests/fuzz/corpus/"$name"/*
  fi
done
