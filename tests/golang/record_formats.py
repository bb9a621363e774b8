"""Ask Go: record how its standard library reads the texts of ``format_texts.py``.

python -m golang.record_formats                   (in tests/, with layers/engine on the path)
"""

from oracle.program import ask_program, write

from .format_texts import make_rows
from .test_formats import FIXTURE

if __name__ == "__main__":
    write(FIXTURE, ask_program("formats", [*make_rows()]))
