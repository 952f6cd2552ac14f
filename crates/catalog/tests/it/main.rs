//! The catalogue's suite. Every case is listed once and runs on SQLite and on PostgreSQL, each time with a
//! database of its own. PostgreSQL is the server that `TIDEGAUGE_TEST_POSTGRES` names, such as the one that
//! `scripts/with-postgres.sh` starts; without it those trials are reported as ignored.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, which names the line")]

mod acceptance;
mod annotations;
mod audit;
mod bearer;
mod bearer_memberships;
mod caps;
mod caps_races;
mod cases;
mod columns;
mod dashboards;
mod database;
mod datasets;
mod duckdb;
mod endpoints;
mod event_feed;
mod event_races;
mod event_samples;
mod first_start;
mod frozen_answers;
mod groups;
mod identities;
mod ingest_keys;
mod lake;
mod lease;
mod membership;
mod membership_races;
mod monitor_runs;
mod monitors;
mod node_claims;
mod node_directory;
mod node_races;
mod node_samples;
mod nodes;
mod notifiers;
mod oauth_clients;
mod oauth_grants;
mod opening;
mod orgs;
mod outbox;
mod passwords;
mod preferences;
mod query_history;
mod recovery;
mod roles;
mod samples;
mod schema;
mod segments;
mod sessions;
mod starred;
mod starred_filters;
mod starred_pages;
mod stored_alerting;
mod stored_dashboards;
mod stored_definitions;
mod stored_deletions;
mod stored_deliveries;
mod stored_events;
mod stored_feed;
mod stored_forms;
mod stored_monitors;
mod stored_nodes;
mod stored_oauth;
mod stored_rows;
mod stored_sign_in;
mod stored_usage;
mod token_ends;
mod token_successors;
mod tokens;
mod usage;
mod users;
mod values;
mod views;
mod virtual_fields;

use std::process::ExitCode;

use libtest_mimic::Arguments;

use crate::cases::{Case, catalog_cases, database_cases, trial};
use crate::database::Backend;

const CATALOG_CASES: &[Case] = catalog_cases! {
    opening {
        answers_until_it_is_closed,
        has_everything_when_opened_again,
        refuses_another_key_and_still_opens_with_its_own,
        refuses_the_schema_of_a_newer_version,
        refuses_an_address_without_repeating_it,
        never_prints_the_address_of_a_server,
        tells_whether_changes_survive_a_power_cut,
    }
    first_start {
        sets_up_an_org_with_its_owner_and_token,
        sets_up_only_once,
        leaves_nothing_behind_when_it_fails,
        lets_exactly_one_of_two_nodes_win,
    }
    orgs {
        reads_back_what_was_inserted,
        lists_the_orgs_of_a_person_and_all_of_them,
        lists_the_accepted_orgs_of_a_person_alone,
        needs_an_owner_that_exists,
        refuses_an_id_twice,
        updates_every_field,
        leaves_everything_when_an_edit_is_refused,
        counts_every_concurrent_update,
        reports_values_that_cannot_be_read,
    }
    endpoints {
        read_back_what_was_inserted,
        replace_what_a_caller_may_set,
        stay_within_their_org,
        are_as_many_as_the_licence_allows,
        let_their_senders_in_by_the_digest_alone,
        count_what_came_in,
        tell_why_something_failed_as_they_stood_then,
    }
    identities {
        links_an_identity_once,
        finds_where_a_person_can_act,
        makes_an_account_with_its_membership,
        gives_machines_an_account_without_membership,
    }
    users {
        finds_people_by_id_and_address,
        renames_a_person,
        reports_a_role_that_cannot_be_read,
    }
    membership {
        adds_somebody_new,
        adds_somebody_new_under_a_known_address,
        refuses_a_member_twice,
        refuses_the_id_of_somebody_else,
        refuses_more_members_than_allowed,
        refuses_an_org_that_does_not_exist,
        changes_a_role,
        removes_a_member_who_stays_known,
        keeps_the_last_owner,
        holds_changes_to_the_checked_role,
        stays_within_its_org,
        names_the_kind_of_every_refusal,
    }
    membership_races {
        keeps_to_the_maximum,
        keeps_one_of_two_owners_who_leave_at_once,
        knows_a_newcomer_of_several_orgs_as_somebody_new_in_each,
        takes_one_of_two_changes_to_the_same_checked_role,
        takes_two_changes_of_role_only_in_their_order,
        takes_either_a_new_role_or_a_removal,
    }
    roles {
        read_back_what_was_inserted,
        have_names_of_their_own,
        are_for_members_alone,
        are_changed_as_they_are_at_that_moment,
        count_at_the_next_request,
        count_in_the_org_that_is_named,
        stand_in_the_place_of_a_built_in_one,
        leave_nothing_behind_when_they_are_deleted,
        hold_changes_of_members_to_what_was_checked,
        are_refused_beyond_the_limit,
        add_up,
    }
    groups {
        read_back_what_was_inserted,
        are_refused_strangers_and_unknown_roles,
        tell_what_they_grant_before_and_after,
        give_their_roles_to_their_people,
        are_refused_beyond_the_limit,
    }
    acceptance {
        is_never_given_by_whoever_adds,
        tells_nothing_about_accounts_elsewhere,
        is_by_the_link_of_its_own_organisation,
        of_one_organisation_does_not_touch_another,
        can_be_by_an_account_of_the_same_address,
        can_be_by_a_verified_address,
        is_by_one_of_many_at_once,
        is_needed_of_an_owner_to_count_as_one,
        is_written_down_once,
        is_counted_in_other_orgs,
    }
    caps {
        of_notifiers,
        of_api_tokens,
        of_api_tokens_with_a_successor,
        of_starred_queries,
        of_annotations,
        of_organisations_owned,
        of_organisations_owned_leaves_out_what_others_gave,
    }
    caps_races {
        of_notifiers,
        of_api_tokens,
        of_starred_queries,
        of_organisations_owned,
    }
    tokens {
        reads_back_what_was_inserted,
        lists_api_tokens_by_org_and_all_tokens_for_the_operator,
        refuses_an_id_or_a_digest_twice,
        deletes_an_api_token,
        revokes_any_token,
        writes_a_revocation_to_the_org_of_the_token,
        keeps_the_newest_time_of_use,
        takes_concurrent_uses_in_any_order,
        stays_within_its_org,
        reports_capabilities_that_cannot_be_read,
    }
    token_ends {
        ends_with_the_membership_of_its_maker_if_it_was_made_so,
        stays_ended_when_its_maker_comes_back,
        has_ended_when_its_maker_was_removed_before,
    }
    token_successors {
        lets_a_successor_take_over,
        keeps_the_old_token_when_its_successor_is_refused,
        ends_a_token_sooner_but_never_later,
        stays_expired_when_two_follow_it_one_after_another,
        takes_the_earliest_end_of_two_at_once,
    }
    bearer {
        finds_nothing_for_an_unknown_digest,
        finds_an_api_token_in_its_org_alone,
        finds_a_person_without_an_org,
        finds_a_person_of_one_org,
        finds_a_person_of_two_orgs,
        forgets_a_deleted_token,
        reads_a_licence_only_where_it_is_asked_for,
    }
    bearer_memberships {
        puts_the_named_org_first,
        ignores_a_named_org_that_the_token_does_not_count_in,
        leaves_out_what_was_not_accepted,
        finds_any_of_three_hundred_by_name,
        holds_every_org_that_a_person_can_own,
    }
    notifiers {
        reads_back_what_was_inserted,
        replaces_what_a_caller_may_set,
        deletes_a_notifier,
        refuses_an_id_twice,
        stays_within_its_org,
        keeps_properties_unreadable_in_the_database,
        refuses_properties_moved_from_another_row,
    }
    outbox {
        reads_back_what_was_enqueued,
        takes_nothing_for_notifiers_of_others,
        leases_one_of_each_notifier_at_a_time,
        keeps_the_order_of_an_incident,
        holds_what_is_for_a_disabled_notifier,
        keeps_every_attempt,
        replays_what_was_given_up,
        withdraws_what_was_made_for_another_place,
        lets_messages_follow_a_notifier,
        gives_up_and_drops_what_is_old,
        is_shared_by_nodes,
    }
    starred {
        reads_back_what_was_inserted,
        replaces_what_a_caller_may_set,
        deletes_a_starred_query,
        refuses_an_id_twice,
        holds_changes_to_the_checked_dataset,
        stays_within_its_org,
    }
    starred_filters {
        by_person,
        by_dataset,
        by_text_in_any_case,
        by_text_with_the_signs_of_a_pattern,
        by_visible_datasets,
        by_limit_and_offset,
        all_at_once,
    }
    starred_pages {
        hold_up_to_the_most_bytes,
        count_the_metadata_too,
        leave_the_catalogue_answering,
        search_what_was_given_last,
    }
    event_feed {
        holds_what_is_written_with_a_change,
        holds_refused_calls,
        loses_what_is_rolled_back,
        hands_out_batches_that_stay_the_same,
        drops_a_batch_when_its_segment_is_there,
        keeps_the_keys_of_batches_that_wait,
        is_moved_by_who_has_the_lease,
        is_pruned_where_nobody_takes_it,
        tells_of_runs_that_are_not_quiet,
        tells_of_attempts_to_send,
    }
    audit {
        holds_all_that_is_known_of_a_change,
        lists_the_newest_first_by_pages,
        lists_since_a_time,
        writes_refusals_in_one_batch,
        prunes_what_is_older,
        prunes_more_than_one_batch,
        prunes_from_two_nodes_at_once,
        stays_within_its_org,
    }
    datasets {
        read_back_what_was_inserted,
        are_refused_a_name_twice,
        are_refused_beyond_the_limit,
        of_the_audit_trail_count_for_nothing,
        have_numbers_that_are_given_once,
        change_where_a_patch_says,
        keep_events_where_a_patch_says,
        change_their_map_fields,
        remember_their_vacuum,
        take_everything_with_them,
        are_known_as_deleted_for_weeks,
        stay_within_their_org,
        report_values_that_cannot_be_read,
    }
    columns {
        are_added_once,
        belong_to_their_dataset,
        have_names_that_differ_in_more_than_case,
        keep_their_numbers_when_some_are_forgotten,
        are_not_added_to_what_is_gone,
        come_by_the_thousands,
        are_reported_when_they_cannot_be_read,
        carry_notes_about_their_fields,
    }
    segments {
        read_back_what_was_published,
        are_published_once,
        are_not_published_to_what_is_gone,
        are_replaced,
        are_replaced_all_or_none,
        are_replaced_by_the_thousands,
        are_read_as_of_a_commit,
        are_forgotten_after_their_removal,
        leave_nothing_in_the_files_once_forgotten,
        are_reported_when_they_cannot_be_read,
    }
    event_races {
        publish_one_of_many_equal_flushes,
        number_commits_of_many_datasets_in_their_order,
        replace_a_segment_once,
        leave_no_live_segment_of_a_deleted_dataset,
        add_a_column_once,
        keep_every_map_field,
        keep_to_the_most_datasets,
        count_all_use,
    }
    ingest_keys {
        are_found_by_dataset_and_time,
        have_the_meaning_of_their_last_use,
        are_pruned_by_the_thousands,
    }
    usage {
        is_added_up_by_org_and_month,
        counts_the_bytes_of_live_segments,
        of_queries_is_counted_apart,
        is_kept_by_day_and_dataset,
        has_room_for_so_many_datasets,
        is_no_change,
    }
    sessions {
        reads_back_what_was_begun,
        notes_the_newest_use,
        ends_those_of_their_person_only,
        keeps_so_many_of_a_person,
        drops_the_unused_and_the_ended,
        are_in_the_trail_where_their_person_has_acted,
    }
    passwords {
        are_found_with_their_person,
        end_all_that_was_open_before,
        change_only_from_the_one_that_was_proven,
        are_set_by_a_link_once_and_in_time,
        forget_failures_of_their_own_account_alone,
        links_and_attempts_are_dropped_when_they_ended,
        attempts_at_the_same_moment_all_count,
        attempts_are_still_counted_when_opened_again,
    }
    query_history {
        reads_back_what_was_kept,
        refuses_an_id_twice,
        lists_the_newest_first_and_goes_on_behind_one,
        drops_what_is_old_and_what_is_beyond_the_newest,
    }
    frozen_answers {
        reads_back_what_was_kept,
        keeps_so_many_of_an_organisation_and_drops_old_ones,
        go_with_events_that_they_may_show,
    }
    preferences {
        keeps_the_newest_document_of_each_person,
    }
    recovery {
        keeps_ids_and_numbers,
        changes_nothing_when_a_part_is_there,
    }
    lease {
        is_had_by_one_who_is_named_to_others,
        is_given_back_at_once_to_the_node_that_had_it,
        that_is_lost_lets_nothing_be_changed,
        keeps_the_sequences_of_nodes_apart,
        goes_first_to_the_log_from_before_or_to_a_new_one,
        is_for_one_data_folder_of_a_process,
        is_not_shortened_by_a_renewal_that_comes_late,
        is_borrowed_in_the_name_of_who_is_gone,
        is_not_held_up_by_who_stands_still,
    }
    nodes {
        have_one_number_and_an_epoch_for_each_start,
        are_as_many_as_there_are_numbers,
        take_another_epoch_when_they_did_not_hear_of_theirs,
        are_silent_by_the_clock_of_the_database,
        publish_segments_and_their_mark_together,
        have_a_mark_for_each_dataset_and_epoch,
        publish_from_where_the_mark_is,
        that_are_fenced_change_nothing,
        adopt_what_is_above_the_marks_once,
        merge_segments_that_are_live,
        are_forgotten_when_all_is_adopted,
        change_nothing_while_one_process_has_the_lease,
    }
    node_claims {
        are_had_by_one_log_at_a_time,
        are_settled_with_their_events,
        stand_until_their_log_is_adopted,
        are_made_by_one_of_many,
    }
    node_directory {
        has_every_log_until_it_is_adopted,
        counts_what_starts_and_what_is_adopted,
        confirms_what_is_neither_changed_nor_too_old,
        tells_what_has_changed_since_a_commit,
        says_when_nobody_can_tell_what_has_changed,
    }
    node_races {
        give_each_start_an_epoch_of_its_own,
        let_one_of_many_adopt,
        publish_one_of_many_flushes_from_a_mark,
        order_flushes_and_adoptions,
        wait_for_a_flush_that_has_begun,
        refuse_a_flush_that_comes_after_the_raise,
        leave_a_claim_that_was_taken_over,
        leave_a_claim_of_a_log_that_is_not_known_yet,
        leave_no_hole_between_segments_and_marks,
    }
    lake {
        knows_where_the_files_are,
        has_a_snapshot_for_each_commit,
        forgets_old_commits_but_the_newest,
        forgets_commits_by_the_thousands,
        lists_every_dataset_as_a_table,
    }
    virtual_fields {
        read_back_what_was_inserted,
        need_their_dataset,
        are_refused_a_name_twice,
        replace_what_a_caller_may_set,
        go_behind_all_others_when_they_move,
        hold_changes_to_the_checked_dataset,
        go_with_their_dataset,
        are_refused_beyond_the_limit,
        take_one_of_many_with_the_same_name,
    }
    views {
        read_back_what_was_inserted,
        replace_what_a_caller_may_set,
        begin_the_monitors_anew_that_read_them,
        are_told_that_monitors_read_or_have_read,
        share_their_names_with_datasets,
        take_one_of_many_with_the_same_name,
        are_refused_beyond_the_limit,
        are_reported_when_they_cannot_be_read,
    }
    dashboards {
        read_back_what_was_written,
        are_changed_by_who_sees_what_is_there,
        are_listed_for_who_sees_them,
        keep_as_many_versions_as_they_may,
        take_one_of_many_with_the_same_uid,
        are_refused_beyond_the_limit,
        fill_a_page_up_to_the_most_bytes,
    }
    monitor_runs {
        are_lost_when_what_they_read_goes,
        due_ones_are_leased_once,
        several_nodes_share_the_work,
        are_shared_out_among_organisations,
        a_run_is_recorded_whole_by_who_has_the_lease,
        a_run_of_a_former_definition_is_made_anew,
        a_change_makes_it_due_and_deleting_takes_all_along,
        old_checks_are_dropped_and_changes_later,
        runs_are_listed_apart_from_their_groups,
        a_state_counts_in_its_epoch,
    }
    monitors {
        read_back_what_was_inserted,
        replace_what_a_caller_may_set,
        keep_what_their_epochs_read,
        are_refused_beyond_the_licence,
        know_which_notifiers_there_are,
        are_reported_when_they_cannot_be_read,
    }
    annotations {
        read_back_what_was_inserted,
        change_what_is_named_alone,
        are_found_by_dataset_and_time,
        keep_the_newest_of_a_monitor,
    }
    oauth_clients {
        keys_read_back_and_are_sealed,
        keys_are_made_by_one_of_many_nodes,
        read_back_what_was_inserted,
        are_changed_within_their_org,
        are_refused_beyond_the_limit,
        are_reported_when_they_cannot_be_read,
    }
    oauth_grants {
        codes_make_a_grant_once_and_a_replay_ends_it,
        codes_are_redeemed_by_one_of_many,
        refresh_tokens_follow_each_other_and_reuse_ends_all,
        refresh_tokens_are_used_by_one_of_many,
        grants_are_seen_and_ended_by_their_person,
        grants_end_with_their_client,
        devices_wait_for_a_decision_and_are_answered_once,
        devices_can_be_denied,
        grants_tell_who_acts_where,
    }
    values {
        keep_any_time,
        keep_any_text,
        keep_every_capability_in_its_order,
    }
};

/// Cases that need DuckDB.
const DUCKDB_CASES: &[Case] = catalog_cases! {
    duckdb {
        reads_files_with_different_columns,
        passes_over_files_of_other_times,
        follows_commits_while_it_is_attached,
        may_not_write,
        reads_a_dataset_with_thousands_of_columns,
    }
};

const DATABASE_CASES: &[Case] = database_cases! {
    "opening::two_nodes_at_once" => opening::two_nodes_at_once,
    "stored_forms::version_1_is_still_read" => stored_forms::version_1_is_still_read,
    "stored_forms::version_2_is_still_read" => stored_events::version_2_is_still_read,
    "stored_forms::version_3_is_still_read" => stored_events::version_3_is_still_read,
    "stored_forms::version_4_is_still_read" => stored_definitions::version_4_is_still_read,
    "stored_forms::version_5_is_still_read" => stored_sign_in::version_5_is_still_read,
    "stored_forms::version_6_is_still_read" => stored_monitors::version_6_is_still_read,
    "stored_forms::version_7_is_still_read" => lease::version_7_is_still_read,
    "stored_forms::version_8_is_still_read" => stored_events::version_8_is_still_read,
    "stored_forms::version_9_is_still_read" => stored_sign_in::version_9_is_still_read,
    "stored_forms::version_10_is_still_read" => stored_forms::version_10_is_still_read,
    "stored_forms::version_11_is_still_read" => stored_sign_in::version_11_is_still_read,
    "stored_forms::version_12_is_still_read" => preferences::version_12_is_still_read,
    "stored_forms::version_13_is_still_read" => endpoints::version_13_is_still_read,
    "stored_forms::version_14_is_still_read" => stored_dashboards::version_14_is_still_read,
    "stored_forms::version_15_is_still_read" => stored_feed::version_15_is_still_read,
    "stored_forms::version_16_is_still_read" => stored_usage::version_16_is_still_read,
    "stored_forms::version_17_is_still_read" => stored_deletions::version_17_is_still_read,
    "stored_forms::version_18_is_still_read" => stored_monitors::version_18_is_still_read,
    "stored_forms::version_19_is_still_read" => stored_nodes::version_19_is_still_read,
    "stored_forms::memberships_of_accounts_that_wait_get_a_person_of_their_own" => stored_sign_in::waiting_memberships_move,
};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let has_postgres = database::postgres_url().is_some();
    if !has_postgres && !arguments.list {
        database::report_postgres_is_not_run();
    }
    let mut trials = schema::trials(has_postgres);
    trials.extend(stored_forms::trials());
    for case in CATALOG_CASES.iter().chain(DATABASE_CASES) {
        trials.push(trial("sqlite", case, Backend::Sqlite));
        trials.push(trial("postgres", case, Backend::Postgres).with_ignored_flag(!has_postgres));
    }
    let has_duckdb = duckdb::python().is_some();
    for case in DUCKDB_CASES {
        trials.push(trial("sqlite", case, Backend::Sqlite).with_ignored_flag(!has_duckdb));
        let has_both = has_postgres && has_duckdb;
        trials.push(trial("postgres", case, Backend::Postgres).with_ignored_flag(!has_both));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
