//! The service's tests, all in one binary. Every case runs on SQLite, and again on PostgreSQL where the set-up has
//! started one; there it is reported as ignored otherwise, never as passed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod access_tokens;
mod alerting;
mod apl_cases;
mod app;
mod audit_events;
mod auth_matrix;
mod browser;
#[path = "../../../engine/tests/it/case_file.rs"]
mod case_file;
mod cases;
mod contract;
mod dashboard_cases;
#[path = "../shared/database.rs"]
mod database;
mod disk;
mod export_cases;
#[path = "../../../engine/tests/it/golden_file.rs"]
mod golden_file;
mod golden_http;
mod ingest_cases;
mod invitation_attacks;
mod invitation_cases;
mod job_cases;
mod kept_answers;
mod language_cases;
#[path = "../../../catalog/tests/shared/migrations.rs"]
mod migrations;
mod oauth;
mod pace;
mod period_cases;
#[path = "../../../catalog/tests/shared/postgres_copy.rs"]
mod postgres_copy;
mod query_cases;
mod readiness_cases;
mod role_edits;
mod scenarios;
mod sender_cases;
mod session_cases;
mod sign_in_attacks;
mod sign_in_cases;
#[path = "../../../auth/tests/it/signer.rs"]
mod signer;
mod small_bodies;
#[path = "../../../catalog/tests/shared/sqlite_copy.rs"]
mod sqlite_copy;
mod tail_cases;
mod usage_cases;
#[path = "../../../catalog/tests/shared/waiting.rs"]
mod waiting;

use libtest_mimic::{Arguments, Trial};

use app::TestApp;
use database::Backend;

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = vec![Trial::test("contract::openapi_snapshot", || {
        contract::openapi_snapshot();
        Ok(())
    })];
    for backend in [Backend::Sqlite, Backend::Postgres] {
        for (name, text) in scenarios::files() {
            trials.push(trial(backend, format!("http::{name}"), move |app| {
                Box::pin(scenarios::run(app, text.clone()))
            }));
        }
        let lists = [
            cases::ALL,
            dashboard_cases::ALL,
            ingest_cases::ALL,
            small_bodies::ALL,
            sender_cases::ALL,
            job_cases::ALL,
            audit_events::ALL,
            period_cases::ALL,
            query_cases::ALL,
            kept_answers::ALL,
            readiness_cases::ALL,
            apl_cases::ALL,
            tail_cases::ALL,
            usage_cases::ALL,
            export_cases::ALL,
            sign_in_cases::ALL,
            invitation_attacks::ALL,
            invitation_cases::ALL,
            sign_in_attacks::ALL,
            session_cases::ALL,
            oauth::ALL,
        ];
        for (name, case) in lists.into_iter().flatten().chain(alerting::all()) {
            trials.push(trial(backend, format!("case::{name}"), case));
        }
        let golden = Trial::test(format!("{}::golden", backend.name()), move || {
            golden_http::run(backend);
            Ok(())
        });
        trials.push(golden.with_ignored_flag(backend.is_missing()));
        let behind_tls = Trial::test(format!("{}::case::cookies_behind_tls", backend.name()), move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(session_cases::behind_tls(backend));
            Ok(())
        });
        trials.push(behind_tls.with_ignored_flag(backend.is_missing()));
        trials.push(trial(backend, "language".to_owned(), |app| Box::pin(language_cases::run(app))));
        for (name, case) in access_tokens::all() {
            trials.push(on_runtime(backend, format!("access_tokens::{name}"), move || case(backend)));
        }
        trials.push(on_runtime(backend, "auth_matrix".to_owned(), move || auth_matrix::run(backend)));
    }
    if !arguments.list && Backend::Postgres.is_missing() {
        note("service suite: PostgreSQL not run (TIDEGAUGE_TEST_POSTGRES is not set)");
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn trial<Case>(backend: Backend, name: String, case: Case) -> Trial
where
    Case: FnOnce(TestApp) -> std::pin::Pin<Box<dyn Future<Output = ()>>> + Send + 'static,
{
    on_runtime(backend, name, move || async move { case(TestApp::start(backend).await).await })
}

/// A case that starts what it needs itself.
fn on_runtime<Case, Run>(backend: Backend, name: String, case: Case) -> Trial
where
    Case: FnOnce() -> Run + Send + 'static,
    Run: Future<Output = ()>,
{
    Trial::test(format!("{}::{name}", backend.name()), move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(case());
        Ok(())
    })
    .with_ignored_flag(backend.is_missing())
}

#[expect(clippy::print_stderr, reason = "the person who runs the tests should know what was left out")]
fn note(text: &str) {
    eprintln!("{text}");
}
