//! What goes wrong without each rule: one test for each, named after the failure that the rule prevents.

use std::collections::BTreeSet;

use crate::history::live;
use crate::ledger::Kind;
use crate::rules::{Rule, Rules};
use crate::search;
use crate::tape::Tape;

/// How many histories are tried when the seed that is known does not show it any more.
const SEEDS: u64 = 40_000;

/// Leaves a rule out, and wants a history that goes wrong in this way. The seed is of one that did when the test was
/// written, so that it need not be looked for.
fn is_broken_without(rule: Rule, kind: Kind, seed: u64) {
    let rules = Rules::without(rule);
    let is_it = live(rules, Tape::of_seed(seed), false).wrong.is_some_and(|wrong| wrong.kind == kind);
    let found = if is_it { Some(seed) } else { search::find(rules, 1, SEEDS, Some(kind)) };
    let seed = found.unwrap_or_else(|| panic!("{SEEDS} histories without {rule:?}, and nothing is {kind:?}"));
    if crate::asked("TIDEGAUGE_CLUSTER_SHOW").is_some() {
        crate::print(&format!("without {rule:?}, seed {seed}:"), &search::shortened(rules, seed));
    }
}

#[test]
fn every_rule_has_its_test() {
    let source = include_str!("breaks.rs");
    let calls = source.lines().filter_map(|line| line.trim().strip_prefix("is_broken_without(Rule::"));
    let tested: BTreeSet<&str> = calls.filter_map(|call| call.split(',').next()).collect();
    let all: Vec<String> = Rule::ALL.iter().map(|rule| format!("{rule:?}")).collect();
    assert_eq!(tested, all.iter().map(String::as_str).collect());
}

#[test]
fn a_history_that_goes_wrong_is_made_short() {
    let rules = Rules::without(Rule::AdoptionTakesWhatIsAboveMarks);
    let seed = search::find(rules, 1, SEEDS, Some(Kind::Twice)).expect("its own test finds one too");
    let whole = live(rules, Tape::of_seed(seed), true);
    let short = search::shortened(rules, seed);
    assert_eq!(short.wrong.map(|wrong| wrong.kind), Some(Kind::Twice));
    assert!(short.notes.len() <= whole.notes.len());
    assert!(short.draws.len() < 100, "{} steps are left of {}", short.draws.len(), whole.draws.len());
}

#[test]
fn an_answer_before_the_object_is_lost_with_the_process() {
    is_broken_without(Rule::AnswerWaitsForObject, Kind::Lost, 3);
}

#[test]
fn an_answer_without_the_epoch_comes_after_an_adoption_that_missed_it() {
    is_broken_without(Rule::AnswerWaitsForEpoch, Kind::Lost, 3);
}

#[test]
fn an_epoch_that_is_read_before_the_put_tells_nothing() {
    is_broken_without(Rule::EpochIsReadAfterPut, Kind::Lost, 18);
}

#[test]
fn an_epoch_that_is_assumed_has_two_writers() {
    is_broken_without(Rule::EpochIsTakenNotAssumed, Kind::Lost, 36);
}

#[test]
fn objects_without_their_epoch_count_for_another_log() {
    is_broken_without(Rule::ObjectsNameTheirEpoch, Kind::Twice, 1);
}

#[test]
fn records_that_count_by_the_disk_are_stored_twice() {
    is_broken_without(Rule::RecordsCountByTheirObject, Kind::Twice, 3);
}

#[test]
fn a_mark_for_all_datasets_hides_events_of_the_others() {
    is_broken_without(Rule::MarksPerDataset, Kind::Lost, 3);
}

#[test]
fn a_mark_for_all_nodes_hides_events_of_the_others() {
    is_broken_without(Rule::MarksPerNode, Kind::Lost, 3);
}

#[test]
fn a_mark_for_all_epochs_hides_what_was_to_be_adopted() {
    is_broken_without(Rule::MarksPerEpoch, Kind::Lost, 3);
}

#[test]
fn without_claims_a_request_is_stored_by_two_nodes() {
    is_broken_without(Rule::ClaimBeforeAppend, Kind::Twice, 2);
}

#[test]
fn two_attempts_in_one_process_share_a_claim() {
    is_broken_without(Rule::OneAttemptAtATime, Kind::Twice, 5);
}

#[test]
fn a_claim_that_ends_with_its_epoch_is_stored_again() {
    is_broken_without(Rule::ClaimStandsUntilAdoption, Kind::Twice, 2);
}

#[test]
fn a_claim_that_is_not_settled_with_its_event_is_stored_again() {
    is_broken_without(Rule::PublishingSettlesClaims, Kind::Twice, 1);
}

#[test]
fn a_mark_beyond_a_gap_loses_what_lands_in_it() {
    is_broken_without(Rule::FlushStopsAtGap, Kind::Lost, 604);
}

#[test]
fn a_segment_without_its_mark_is_read_beside_its_frames() {
    is_broken_without(Rule::FlushIsOneTransaction, Kind::Twice, 40);
}

#[test]
fn a_flush_that_is_done_late_publishes_again() {
    is_broken_without(Rule::FlushComparesMark, Kind::Twice, 931);
}

#[test]
fn a_lost_answer_that_is_taken_for_a_failure_loses_the_segment() {
    is_broken_without(Rule::LostAnswersAreLookedUp, Kind::Lost, 7);
}

#[test]
fn a_paused_node_publishes_after_its_adoption() {
    is_broken_without(Rule::FlushChecksEpoch, Kind::Fenced, 4);
}

#[test]
fn an_adopter_that_lists_first_misses_what_is_acknowledged_then() {
    is_broken_without(Rule::RaiseBeforeList, Kind::Lost, 64);
}

#[test]
fn an_adopter_with_old_marks_publishes_again() {
    is_broken_without(Rule::AdoptionReadsMarksAfterRaise, Kind::Twice, 336);
}

#[test]
fn an_adopter_without_marks_publishes_again() {
    is_broken_without(Rule::AdoptionTakesWhatIsAboveMarks, Kind::Twice, 12);
}

#[test]
fn two_adopters_publish_one_log() {
    is_broken_without(Rule::AdoptionIsOnce, Kind::Twice, 50);
}

#[test]
fn an_adopter_that_was_fenced_publishes() {
    is_broken_without(Rule::AdoptionChecksEpoch, Kind::Fenced, 2);
}

#[test]
fn two_merges_of_one_segment_publish_it_twice() {
    is_broken_without(Rule::MergeComparesInputs, Kind::Twice, 360);
}

#[test]
fn a_merge_is_published_by_a_fenced_node() {
    is_broken_without(Rule::MergeChecksEpoch, Kind::Fenced, 244);
}

#[test]
fn a_segment_on_its_way_to_a_commit_is_taken_for_garbage() {
    is_broken_without(Rule::OrphansWaitForEndOfEpoch, Kind::Lost, 27);
}

#[test]
fn log_objects_that_go_at_once_are_missing_from_a_list() {
    is_broken_without(Rule::ObjectsStayForGrace, Kind::Lost, 591);
}

#[test]
fn a_reader_that_asks_nobody_misses_the_others_events() {
    is_broken_without(Rule::ReadersAskAllNodes, Kind::Lost, 2);
}

#[test]
fn a_reader_that_leaves_out_a_silent_node_misses_its_events() {
    is_broken_without(Rule::SilentNodesAreReadFromObjects, Kind::Lost, 27);
}

#[test]
fn a_log_between_raise_and_adoption_is_missing() {
    is_broken_without(Rule::RaisedLogsAreReadFromObjects, Kind::Lost, 13);
}

#[test]
fn frames_below_the_mark_are_counted_twice() {
    is_broken_without(Rule::FramesAboveMarks, Kind::Twice, 19);
}

#[test]
fn frames_that_were_let_go_are_missing_for_an_old_directory() {
    is_broken_without(Rule::ReleasedFramesAreStale, Kind::Lost, 1139);
}

#[test]
fn segments_and_marks_of_two_commits_leave_a_hole() {
    is_broken_without(Rule::SegmentsAndMarksOfOneCommit, Kind::Lost, 30);
}

#[test]
fn a_reader_with_an_old_directory_misses_a_log() {
    is_broken_without(Rule::ReadersLookAtTheCounter, Kind::Lost, 40);
}

#[test]
fn a_list_of_members_does_not_tell_of_a_new_epoch() {
    is_broken_without(Rule::TheCounterCountsRaises, Kind::Lost, 144);
}

#[test]
fn a_late_object_and_its_repetition_are_read_together() {
    is_broken_without(Rule::TheCounterCountsAdoptions, Kind::Twice, 1122);
}

#[test]
fn a_look_before_reading_does_not_tell_what_goes_then() {
    is_broken_without(Rule::ReadersLookLast, Kind::Lost, 555);
}

#[test]
fn an_answer_from_a_directory_that_is_too_old_misses_deleted_objects() {
    is_broken_without(Rule::AnswersHaveAnAge, Kind::Lost, 2251);
}
