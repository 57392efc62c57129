"""`make demo`: a scripted repository, one flipped word in a compile script, and the gate that finds it."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.e2e.project import Project, build_project

SCRIPT = "deploy/convert.sh"


def say(text: str) -> None:
    """A line of the story."""
    sys.stdout.write(f"\n== {text}\n")
    sys.stdout.flush()


def show(project: Project, *arguments: str) -> int:
    """Run a command of the user's and show it with what it prints."""
    sys.stdout.write(f"$ perfgate {' '.join(arguments)}\n")
    done = project.perfgate("-q", *arguments)
    sys.stdout.write(done.out + done.err + f"(exit {done.code})\n")
    sys.stdout.flush()
    return done.code


def tell(folder: Path) -> int:
    """The whole story; 0 when every step ended as it should."""
    say("a repository with two models on two devices, accepted baselines and one guardrail")
    project = build_project(folder)
    codes = [show(project, "check")]
    say("three days ago somebody tidied a compile script: NHWC became NCHW")
    project.git("checkout", "-q", "-b", "tidy")
    project.replace(SCRIPT, "--optypelayout=NHWC", "--optypelayout=NCHW")
    project.commit("tidy convert flags")
    say("the guardrail stops it before anything is measured")
    codes.append(show(project, "check"))
    say("without the guardrail the measurement finds it: operator, copies, flag")
    codes.append(
        show(project, "check", "-k", "sd_unet", "--device", "ascend-310p-like", "--on-guardrail", "measure")
    )
    say("the fix is a diff that git applies")
    codes.append(show(project, "guard", "--fix", "-o", "fix.diff"))
    project.git("apply", "fix.diff")
    (project.folder / "fix.diff").unlink()
    codes.append(show(project, "check"))
    return 0 if codes == [0, 1, 1, 1, 0] else 1


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(tell(Path(temporary)))
