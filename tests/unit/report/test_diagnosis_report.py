from __future__ import annotations

import pytest

from perfgate.core.codec import readable_json
from perfgate.core.errors import UnusableError
from perfgate.report.diagnosis_report import DiagnosisReport, decode_diagnoses
from tests.diagnoses import diagnosis


def test_a_report_survives_its_json() -> None:
    report = DiagnosisReport(exit_code=0, diagnoses=(diagnosis(before="3f2c1ab"),), notes=("one",))
    assert decode_diagnoses(readable_json(report).encode(), "d.json") == report


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{", "broken JSON"),
        (b'{"schema": "perfgate/diagnosis/1"}', "unknown schema 'perfgate/diagnosis/1'"),
        (b'{"schema": "perfgate/diagnoses/1", "exit_code": 0}', "diagnoses"),
        (b"[]", "not the expected form"),
    ],
)
def test_another_file_is_refused_with_its_reason(data: bytes, said: str) -> None:
    with pytest.raises(UnusableError) as problem:
        decode_diagnoses(data, "d.json")
    assert said in problem.value.line
