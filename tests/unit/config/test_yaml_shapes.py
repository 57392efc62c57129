"""Workflows, actions, compose, Kubernetes and pipelines; the rules are those of each tool's reference."""

from __future__ import annotations

from tests.unit.config.described import facts_of

WORKFLOW = """\
env: {XLA_FLAGS: --a=0, FMT: ND}
jobs:
  a:
    strategy:
      matrix:
        soc: [A, B]
        include:
          - {soc: A, extra: --op=1}
          - {soc: C}
        exclude: [{soc: B}]
    steps:
      - env: {M: "${{ matrix.soc }}", XLA_FLAGS: "${{ env.XLA_FLAGS }} --b=1"}
        run: |
          atc --m=$M.onnx --f=$FMT ${{ matrix.extra }} ${{ github.ref == 'x' && '--on=1' || '' }}
      - run: "trtexec --onnx=${{ inputs.m || 'd' }} --s=${{ secrets.s }} ${{ inputs.rest }}"
      - shell: python
        run: |
          import os
          os.system("atc --py=1")
  b:
    runs-on: windows-latest
    steps:
      - run: atc --no=1
      - {run: atc --yes=1, shell: bash}
"""


def test_workflows() -> None:
    assert facts_of(".github/workflows/w.yml", WORKFLOW) == [
        "1:7 XLA_FLAGS set --a=0",
        "12:39 XLA_FLAGS append --b=1",
        "14:11 atc ~--m={A.onnx|C.onnx} --f=ND ~--op=1 ~--on=1",
        "15:15 trtexec ~--onnx=d --s=? ...",
        "19:22 atc --py=1",
        "23:14 note unsupported-shell",
        "24:15 atc --yes=1",
    ]


def test_composite_actions() -> None:
    text = (
        "inputs: {m: {default: x}}\nruns:\n  using: composite\n  steps:\n"
        "    - {run: 'atc --m=${{ inputs.m }}', shell: bash}\n    - {run: atc --no=1, shell: pwsh}\n"
    )
    assert facts_of("action.yml", text) == ["5:14 atc --m=?", "6:32 note unsupported-shell"]


def test_compose_files() -> None:
    text = (
        "x-a: &a {environment: &e {XLA_FLAGS: --a=1}, entrypoint: atc}\n"
        "x-b: {environment: {XLA_FLAGS: --no=1}}\n"
        "services:\n"
        "  one: {<<: *a, command: '--m=\"a b\" --s=${S:-x} ${E} ${F:+--f=1}'}\n"
        "  two:\n"
        "    <<: *a\n"
        "    environment: {<<: *e, SOC: Q, XLA_FLAGS: '$XLA_FLAGS --b=2'}\n"
        "    entrypoint: [/bin/bash, -lc]\n"
        "    command: ['atc --s=$$SOC --t=$SOC --u=$$$$']\n"
        "    healthcheck: {test: [CMD-SHELL, 'trtexec --onnx=h || exit 1']}\n"
    )
    assert facts_of("compose.yaml", text) == [
        "1:27 XLA_FLAGS set --a=1",
        "1:58 atc --m=a b ~--s=x ~--f=1 ...",
        "7:35 XLA_FLAGS append --b=2",
        "9:16 atc --s=Q --t=? --u=?",
        "10:38 trtexec --onnx=h",
    ]


def test_kubernetes_objects() -> None:
    text = (
        "apiVersion: v1\nkind: List\nitems:\n"
        "  - spec:\n"
        "      containers:\n"
        "        - name: c\n"
        "          env: [{name: M, value: m}, {name: XLA_FLAGS, value: --x=$(M)}, {name: H, valueFrom: {}}]\n"
        "          command: [atc]\n"
        "          args: [--m=$(M), --n=$(NO), --e=$$(M), --h=$(H), '--t={{ .Values.t }}']\n"
        "          livenessProbe: {exec: {command: [trtexec, --onnx=$(M)]}}\n"
        "---\napiVersion: v1\nkind: ConfigMap\ndata: {x.sh: atc --no=1}\n"
        "---\napiVersion: tekton.dev/v1\nkind: Task\nspec:\n  steps:\n"
        "    - script: |\n        #!/bin/bash\n        atc --p=$(params.p)\n"
    )
    assert facts_of("k.yaml", text) == [
        "7:45 XLA_FLAGS set --x=m",
        "8:21 atc --m=m --n=$(NO) --e=$(M) --help=? --t=?",
        "10:44 trtexec --onnx=$(M)",
        "22:9 atc --p=?",
    ]


def test_pipelines() -> None:
    text = (
        "variables: {SOC: A, XLA_FLAGS: --x=1}\n.base: {before_script: [export FMT=ND]}\n"
        ".never: {script: [atc --no=1]}\n"
        "job:\n  extends: .base\n  parallel: {matrix: [{M: [a, b]}]}\n"
        "  script:\n    - atc --m=$M --s=$SOC\n    - [trtexec --onnx=$FMT]\n"
    )
    assert facts_of(".gitlab-ci.yml", text) == [
        "1:21 XLA_FLAGS set --x=1",
        "8:7 atc ~--m={a|b} --s=A",
        "9:8 trtexec --onnx=ND",
    ]


def test_yaml_of_no_known_shape_says_nothing_and_broken_yaml_is_said() -> None:
    assert facts_of("x.yaml", "note: atc --no=1\n") == []
    assert facts_of("x.yaml", "services: {a: {command: atc --a=1}}\nb: [\n") == [
        "1:25 atc --a=1",
        "3:1 note syntax-error",
    ]
