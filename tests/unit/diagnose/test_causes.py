from __future__ import annotations

from perfgate.core.diagnosis import Evidence, OperatorRef
from perfgate.core.difference import Difference, DifferenceKind
from perfgate.diagnose.causes import MOST_EVIDENCE, Draft, draft_causes
from perfgate.diagnose.signals import Undone
from perfgate.diagnose.suspect import Remedy, Suspect
from tests.counterfactuals import difference
from tests.hand_profiles import MS, profile

X, Y = difference("--x"), difference("--y")
MODEL = difference("zoo:net", DifferenceKind.MODEL)


def suspect(
    rule: str, cost: int, number: int | None = None, of: Difference | None = None, step: int = 4
) -> Suspect:
    at = None if number is None else OperatorRef(number=number, name=f"net.op{number}", op="Conv")
    return Suspect(
        rule=rule,
        sentence=f"{rule} at {number}",
        cost=cost,
        operator=at,
        difference=of,
        evidence=(Evidence(step=step, label=rule, text=f"{rule} {number}"),),
        remedies=(Remedy(title=f"mend {rule}", risk="", advice=f"by hand at {number}"),),
    )


def flag(of: Difference, cost: int) -> Suspect:
    return suspect("config_flag", cost, of=of, step=1)


def undone(of: Difference, recovered: float) -> Undone:
    return Undone(difference=of, profile=profile(MS), recovered=recovered, amount=7)


def rules(drafts: tuple[Draft, ...]) -> list[tuple[str, list[str]]]:
    return [(draft.lead.rule, [item.rule for item in draft.explains]) for draft in drafts]


def test_what_goes_away_with_a_flag_is_evidence_for_it() -> None:
    suspects = [flag(X, 100), suspect("alignment", 60, 3), suspect("implicit_copy", 90, 4)]
    (draft,) = draft_causes(suspects, [undone(X, 1.0)], {1: X, 2: X})
    assert (draft.lead.rule, [item.rule for item in draft.explains]) == (
        "config_flag",
        ["implicit_copy", "alignment"],
    )
    assert draft.proof is not None
    assert (draft.proof.recovered, draft.proof.undone) == (1.0, 7)
    assert [piece.label for piece in draft.evidence] == ["config_flag", "implicit_copy", "alignment"]
    assert draft.operator is not None
    assert draft.operator.number == 4  # the one it hits hardest


def test_the_sentence_of_a_flag_is_the_most_specific_reason_that_costs_half_of_the_dearest() -> None:
    suspects = [flag(X, 100), suspect("alignment", 60, 3), suspect("implicit_copy", 90, 4)]
    blamed = {1: X, 2: X}
    (draft,) = draft_causes(suspects, [undone(X, 1.0)], blamed)
    assert draft.sentence == "alignment at 3"  # more specific, 60 of 90
    suspects[1] = suspect("alignment", 44, 3)
    (draft,) = draft_causes(suspects, [undone(X, 1.0)], blamed)
    assert draft.sentence == "implicit_copy at 4"


def test_a_flag_without_evidence_speaks_for_itself_and_a_symptom_does_not_speak_for_it() -> None:
    (draft,) = draft_causes([flag(X, 100), suspect("dispatch_bound", 90)], [undone(X, 1.0)], {1: X})
    assert draft.sentence == "config_flag at None"


def test_two_flags_keep_their_own_evidence_and_the_dearer_one_comes_first() -> None:
    suspects = [flag(X, 30), flag(Y, 70), suspect("alignment", 20, 3), suspect("fusion_lost", 60, 4)]
    drafts = draft_causes(suspects, [undone(X, 0.3), undone(Y, 0.7)], {2: X, 3: Y})
    assert rules(drafts) == [("config_flag", ["fusion_lost"]), ("config_flag", ["alignment"])]


def test_what_stays_whatever_is_undone_is_a_cause_of_its_own() -> None:
    suspects = [flag(X, 30), suspect("fusion_lost", 60, 4)]
    drafts = draft_causes(suspects, [undone(X, 0.3)], {})
    assert rules(drafts) == [("fusion_lost", []), ("config_flag", [])]
    assert drafts[0].proof is None


def test_what_goes_away_with_the_model_goes_by_rule_and_the_model_is_its_proof() -> None:
    drafts = draft_causes([suspect("alignment", 60, 3)], [undone(MODEL, 1.0)], {0: MODEL})
    assert rules(drafts) == [("alignment", [])]
    assert drafts[0].proof is not None
    assert drafts[0].lead.difference is None


def test_several_matches_of_one_rule_are_one_cause_named_after_the_worst() -> None:
    suspects = [suspect("alignment", 20, 1), suspect("alignment", 50, 2), suspect("alignment", 30, 3)]
    (draft,) = draft_causes(suspects, [], {})
    assert (draft.lead.sentence, draft.lead.cost) == ("alignment at 2", 100)
    assert draft.evidence[-1].text == "2 more operators, the same reason"
    assert len(draft.lead.remedies) == 3


def test_two_rules_about_the_same_operators_tell_one_story() -> None:
    drafts = draft_causes([suspect("implicit_copy", 80, 3), suspect("alignment", 80, 3)], [], {})
    assert rules(drafts) == [("alignment", ["implicit_copy"])]
    apart = draft_causes([suspect("implicit_copy", 80, 3), suspect("alignment", 80, 4)], [], {})
    assert rules(apart) == [("alignment", []), ("implicit_copy", [])]


def test_a_symptom_is_evidence_for_a_cause_and_a_cause_only_where_there_is_no_other() -> None:
    symptom = suspect("dispatch_bound", 90)
    drafts = draft_causes([symptom, suspect("fusion_lost", 60, 4)], [], {})
    assert rules(drafts) == [("fusion_lost", ["dispatch_bound"])]
    assert rules(draft_causes([symptom], [], {})) == [("dispatch_bound", [])]


def test_more_work_is_how_another_reason_shows_unless_it_costs_clearly_more() -> None:
    reason = suspect("fusion_lost", 80, 4)
    assert rules(draft_causes([suspect("more_work", 100, 9), reason], [], {})) == [
        ("fusion_lost", ["more_work"])
    ]
    assert rules(draft_causes([suspect("more_work", 101, 9), reason], [], {})) == [
        ("more_work", []),
        ("fusion_lost", []),
    ]


def test_without_a_simulation_the_only_difference_is_taken_for_the_reason() -> None:
    drafts = draft_causes([flag(X, 100), suspect("redundancy", 60, 3)], [], {})
    assert rules(drafts) == [("config_flag", ["redundancy"])]
    assert drafts[0].proof is None


def test_of_several_unproven_differences_the_one_whose_name_fits_the_rule_is_taken() -> None:
    layout = difference("--optypelayout")
    suspects = [flag(X, 50), flag(layout, 50), suspect("alignment", 60, 3), suspect("serialised", 9, 4)]
    assert sorted(rules(draft_causes(suspects, [], {}))) == [
        ("config_flag", []),
        ("config_flag", ["alignment"]),
        ("serialised", []),
    ]


def test_evidence_is_in_the_order_of_the_steps_once_each_and_at_most_six_pieces() -> None:
    many = [suspect(f"rule{n}", 90 - n, n, step=6 - n % 5) for n in range(9)]
    (draft,) = draft_causes([flag(X, 100), *many], [undone(X, 1.0)], dict.fromkeys(range(1, 10), X))
    steps = [piece.step for piece in draft.evidence]
    assert steps == sorted(steps)
    assert len(steps) == MOST_EVIDENCE


def test_no_suspect_is_no_cause() -> None:
    assert draft_causes([], [undone(X, 0.0)], {}) == ()
