//! Tests of the real binary as a process: killed, drained, locked, encrypted, overloaded, and its commands. The ones
//! that write run on SQLite and, where the set-up has started one, on PostgreSQL.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod audit_crash;
mod commands;
mod crash;
mod damage;
#[path = "../../../http/tests/shared/database.rs"]
mod database;
mod delivery;
mod doctor;
mod failover;
#[path = "../../../app/tests/shared/geo_file.rs"]
mod geo_file;
mod geoip;
mod hostile;
mod ingest_crash;
mod limits;
mod listeners;
mod listeners_fluent;
mod listeners_tls;
mod login;
#[path = "../../../catalog/tests/shared/migrations.rs"]
mod migrations;
mod monitors;
mod needed_memory;
#[path = "../../../catalog/tests/shared/postgres_copy.rs"]
mod postgres_copy;
#[path = "../../../store/tests/it/failover/proxy.rs"]
mod postgres_proxy;
mod process;
mod pseudo_terminal;
mod secrets;
mod senders;
mod shutdown;
mod terminal;
mod terminal_datasets;
mod terminal_ingest;
mod terminal_query;
mod tls;
mod two_writers;
#[path = "../../../catalog/tests/shared/waiting.rs"]
mod waiting;
mod watching;

use std::pin::Pin;

use database::Backend;
use libtest_mimic::{Arguments, Trial};

type Case = fn(Backend) -> Pin<Box<dyn Future<Output = ()>>>;

/// Every case that depends on the database.
const ON_BOTH: &[(&str, Case)] = &[
    ("crash_loses_no_acknowledged_change", |backend| Box::pin(crash::loses_nothing(backend))),
    ("crash_loses_and_doubles_no_acknowledged_event", |backend| Box::pin(ingest_crash::in_the_log(backend))),
    ("crash_while_segments_are_written_loses_and_doubles_no_event", |backend| {
        Box::pin(ingest_crash::in_segments(backend))
    }),
    ("crash_loses_and_doubles_no_audit_event", |backend| {
        Box::pin(audit_crash::stores_each_entry_once(backend))
    }),
    ("crash_between_sending_and_noting_repeats_a_message_under_its_id", |backend| {
        Box::pin(delivery::between_sending_and_noting(backend))
    }),
    ("crash_in_the_middle_of_many_messages_loses_none", |backend| {
        Box::pin(delivery::in_the_middle_of_many(backend))
    }),
    ("crash_while_monitors_run_tells_every_alert_under_one_id", |backend| {
        Box::pin(watching::every_alert_is_told_under_one_id(backend))
    }),
    ("a_truncated_segment_concerns_its_dataset_only", |backend| Box::pin(damage::truncated_segment(backend))),
    ("a_second_service_on_the_same_catalogue_is_refused", |backend| {
        Box::pin(two_writers::second_is_refused(backend))
    }),
    ("a_killed_service_has_its_lease_at_once_and_another_later", |backend| {
        Box::pin(two_writers::killed_gets_its_lease_back(backend))
    }),
    ("a_service_that_stood_still_and_lost_its_lease_ends", |backend| {
        Box::pin(two_writers::paused_is_fenced(backend))
    }),
    ("commands_of_the_operator_reach_the_running_service", |backend| Box::pin(commands::reach(backend))),
    ("a_database_that_does_not_wait_for_its_disk_is_told_at_the_start", |backend| {
        Box::pin(commands::hasty_database(backend))
    }),
];

/// Every case on PostgreSQL alone.
const ON_POSTGRES: &[(&str, Case)] = &[("a_database_that_fails_over_loses_and_doubles_nothing", |backend| {
    Box::pin(failover::loses_and_doubles_nothing(backend))
})];

/// Every case that does not depend on it.
const ON_SQLITE: &[(&str, Case)] = &[
    ("a_torn_record_at_the_end_of_the_log_is_dropped", |backend| Box::pin(damage::torn_record(backend))),
    ("a_flipped_byte_in_the_log_loses_what_is_reported", |backend| Box::pin(damage::flipped_byte(backend))),
    ("the_doctor_finds_damaged_segments", |backend| Box::pin(doctor::examines(backend))),
    ("the_doctor_rebuilds_a_lost_catalogue", |backend| Box::pin(doctor::rebuilds(backend))),
    ("hostile_bodies_are_refused_within_the_memory", |backend| Box::pin(hostile::bodies(backend))),
    ("who_is_refused_while_sending_reads_the_answer", |backend| {
        Box::pin(hostile::refused_while_sending(backend))
    }),
    ("heads_that_can_be_read_in_two_ways_are_refused", |backend| Box::pin(hostile::ambiguous_heads(backend))),
    ("many_hostile_bodies_at_once_stay_within_the_memory", |backend| Box::pin(hostile::at_once(backend))),
    ("labels_do_not_multiply_the_memory", |backend| Box::pin(hostile::labels(backend))),
    ("otlp_over_grpc_has_a_port_of_its_own", |backend| Box::pin(senders::grpc_port(backend))),
    ("who_hangs_up_before_the_answer_loses_no_message", |backend| Box::pin(senders::hang_up(backend))),
    ("sigterm_lets_running_requests_finish", |backend| Box::pin(shutdown::drains(backend))),
    ("sigterm_cuts_off_what_does_not_end", |backend| Box::pin(shutdown::cuts_off(backend))),
    ("sighup_ends_nothing", |backend| Box::pin(shutdown::outlives_hangups(backend))),
    ("a_second_service_on_the_same_folder_is_refused", |backend| Box::pin(shutdown::locked(backend))),
    ("a_person_signs_in_by_the_browser", |backend| Box::pin(login::by_browser(backend))),
    ("a_person_signs_in_by_a_device_code", |backend| Box::pin(login::by_device(backend))),
    ("monitors_are_handled_from_the_command_line", |backend| {
        Box::pin(monitors::from_the_command_line(backend))
    }),
    ("errors_are_told_without_a_backtrace", |backend| Box::pin(terminal::errors_are_for_people(backend))),
    ("a_command_whose_output_nobody_reads_ends_as_usual", |backend| {
        Box::pin(terminal::nobody_reads(backend))
    }),
    ("an_organisation_is_named_on_the_command_line", |backend| Box::pin(terminal::organisations(backend))),
    ("wrong_arguments_have_an_exit_code_of_their_own", |backend| {
        Box::pin(terminal::wrong_arguments(backend))
    }),
    ("operators_get_links_and_help_that_they_can_use", |backend| Box::pin(terminal::operators(backend))),
    ("datasets_are_handled_from_the_command_line", |backend| {
        Box::pin(terminal_datasets::from_the_command_line(backend))
    }),
    ("lines_of_a_pipe_are_sent_while_it_is_open", |backend| Box::pin(terminal_ingest::open_pipe(backend))),
    ("a_bad_line_of_a_pipe_takes_no_other_with_it", |backend| Box::pin(terminal_ingest::bad_line(backend))),
    ("a_bad_line_of_a_file_takes_no_other_with_it", |backend| {
        Box::pin(terminal_ingest::bad_line_of_a_file(backend))
    }),
    ("lines_of_text_are_sent_from_the_command_line", |backend| Box::pin(terminal_ingest::lines(backend))),
    ("a_field_for_the_time_that_no_event_has_is_told", |backend| {
        Box::pin(terminal_ingest::missing_time_field(backend))
    }),
    ("a_token_of_the_operator_ends_with_a_member", |backend| Box::pin(commands::ends_with_member(backend))),
    ("a_query_is_watched_from_the_command_line", |backend| Box::pin(terminal_query::watches(backend))),
    ("a_query_of_the_history_is_asked_again", |backend| Box::pin(terminal_query::asks_again(backend))),
    ("a_query_is_drawn_on_the_command_line", |backend| Box::pin(terminal_query::draws(backend))),
    ("what_a_query_draws_fits_the_terminal", |backend| Box::pin(terminal_query::fits(backend))),
    ("the_first_token_can_be_given", |backend| Box::pin(commands::first_token(backend))),
    ("the_first_token_can_stand_in_its_file", |backend| Box::pin(commands::first_token_of_a_file(backend))),
    ("keys_are_rotated_from_the_command_line", |backend| Box::pin(commands::rotated_keys(backend))),
    ("no_secret_is_in_the_log_the_trail_or_the_files", |backend| Box::pin(secrets::stay_secret(backend))),
    ("an_open_folder_shows_nothing", |backend| Box::pin(commands::open_folder(backend))),
    ("a_wrong_setting_is_named", |backend| Box::pin(commands::wrong_setting(backend))),
    ("a_flag_counts_more_than_the_environment_and_that_more_than_the_file", |backend| {
        Box::pin(commands::layers(backend))
    }),
    ("two_settings_turn_tls_on", |backend| Box::pin(tls::serves_https(backend))),
    ("a_renewed_certificate_counts_after_sighup", |backend| Box::pin(tls::renews(backend))),
    ("who_names_the_wrong_scheme_is_told_at_once", |backend| Box::pin(tls::other_scheme(backend))),
    ("places_come_from_the_geo_database", |backend| Box::pin(geoip::come_from_the_database(backend))),
    ("a_wrong_geo_database_stops_the_start", |backend| Box::pin(geoip::are_refused_at_the_start(backend))),
    ("a_request_that_takes_too_long_is_cut_off", |backend| Box::pin(limits::times_out(backend))),
    ("silent_connections_are_closed", |backend| Box::pin(limits::closes_silent_connections(backend))),
    ("more_connections_than_allowed_are_closed", |backend| Box::pin(limits::limits_connections(backend))),
    ("connections_are_in_the_metrics", |backend| Box::pin(limits::counts_connections(backend))),
    ("a_thousand_unfinished_heads_shut_nobody_out", |backend| {
        Box::pin(limits::outlives_a_thousand_heads(backend))
    }),
    ("answered_connections_without_end_cut_no_request_of_others", |backend| {
        Box::pin(limits::outlives_answered_connections(backend))
    }),
    ("a_query_whose_client_has_left_stops", |backend| {
        Box::pin(limits::stops_queries_of_who_has_left(backend))
    }),
    ("the_threads_that_requests_wait_for_give_way_to_none", |backend| {
        Box::pin(limits::keeps_priorities(backend))
    }),
    ("threads_that_read_events_give_way_to_those_of_questions", |backend| {
        Box::pin(limits::events_give_way(backend))
    }),
    ("connections_with_unread_answers_are_closed", |backend| {
        Box::pin(limits::closes_unread_connections(backend))
    }),
    ("more_requests_than_can_be_worked_on_are_refused", |backend| Box::pin(limits::sheds_load(backend))),
    ("syslog_comes_in_over_udp_and_tcp", |backend| Box::pin(listeners::syslog(backend))),
    ("listeners_take_nothing_from_networks_that_are_not_named", |backend| {
        Box::pin(listeners::networks(backend))
    }),
    ("what_cannot_be_stored_is_not_read_and_datagrams_are_dropped_and_counted", |backend| {
        Box::pin(listeners::pressure(backend))
    }),
    ("sigterm_stores_what_listeners_have_read", |backend| Box::pin(listeners::stops(backend))),
    ("gelf_comes_in_over_udp_and_tcp", |backend| Box::pin(listeners::gelf(backend))),
    ("what_fluent_forward_is_acknowledged_is_stored_once", |backend| {
        Box::pin(listeners_fluent::acknowledged_is_stored(backend))
    }),
    ("fluent_forward_without_a_chunk_is_kept_until_it_can_be_stored", |backend| {
        Box::pin(listeners_fluent::kept_without_a_chunk(backend))
    }),
    ("fluent_forward_that_comes_whole_is_stored_beside_what_is_broken", |backend| {
        Box::pin(listeners_fluent::whole_beside_broken(backend))
    }),
    ("fluent_forward_without_its_key_is_refused", |backend| Box::pin(listeners_fluent::shared_key(backend))),
    ("syslog_over_tls_asks_for_certificates", |backend| Box::pin(listeners_tls::certificates(backend))),
    ("many_groups_are_not_charged_for_what_they_do_not_need", |backend| {
        Box::pin(needed_memory::of_many_groups(backend))
    }),
    ("a_starred_query_has_a_largest_size", |backend| Box::pin(limits::largest_starred_query(backend))),
];

fn main() {
    let arguments = Arguments::from_args();
    let on_postgres = ON_BOTH.iter().chain(ON_POSTGRES).map(|case| (Backend::Postgres, case));
    let on_sqlite = ON_BOTH.iter().chain(ON_SQLITE).map(|case| (Backend::Sqlite, case));
    let trials = on_sqlite.chain(on_postgres).map(|(backend, &(name, case))| {
        Trial::test(format!("{}::{name}", backend.name()), move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
            runtime.block_on(case(backend));
            Ok(())
        })
        .with_ignored_flag(backend.is_missing())
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}
