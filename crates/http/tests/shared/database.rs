//! The databases that tests run on: SQLite always, PostgreSQL where the set-up of the tests has started one.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backend {
    Sqlite,
    Postgres,
}

impl Backend {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }

    /// Whether tests on it cannot run here.
    pub(crate) fn is_missing(self) -> bool {
        self == Self::Postgres && postgres_url().is_none()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the set-up of the tests says by this variable where PostgreSQL is"
)]
fn postgres_url() -> Option<String> {
    std::env::var("TIDEGAUGE_TEST_POSTGRES").ok().filter(|url| !url.is_empty())
}

/// The address of a new database on the PostgreSQL server of the set-up: a catalogue in which nothing was done yet.
pub(crate) fn new_postgres_database() -> String {
    let server = postgres_url().unwrap();
    let mut random = [0; 8];
    getrandom::fill(&mut random).unwrap();
    let name = format!("service_{:016x}", u64::from_le_bytes(random));
    super::postgres_copy::create(&server, &name);
    let (address, _) = server.rsplit_once('/').unwrap();
    format!("{address}/{name}")
}
