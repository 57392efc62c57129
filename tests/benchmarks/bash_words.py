"""Many random scripts through bash and the reader; the test suite runs a hundred.

python -m tests.benchmarks.bash_words [SCRIPTS] [SEED]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.property.shell_grammar import random_script
from tests.property.test_bash_words import disagreement


def main(arguments: list[str]) -> int:
    """Print every disagreement and the count."""
    count = int(arguments[0]) if arguments else 4_000
    first = int(arguments[1]) if len(arguments) > 1 else 0
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            text = disagreement(random_script(seed), Path(folder))
            wrong += bool(text)
            sys.stdout.write(f"seed {seed}\n{text}\n" if text else "")
    sys.stdout.write(f"{count - wrong} of {count} scripts read as bash reads them\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
