//! Databases in PostgreSQL for tests: copies of one in which all migrations have run and nothing else was done, because to
//! run them takes longer than most tests do. The first test that needs it makes it; it stays in the server. The tests of the
//! migrations begin with an empty database. All this is asked through PostgreSQL's own client, because only the catalogue
//! knows SQL.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::io::Write;
use std::process::{Command, Stdio};

use tidegauge_catalog::{Catalog, Location, SealKey};

use super::waiting::WAIT_MAX;

/// Makes a database of that name in a server, with the schema of a catalogue. It has not seen a key yet.
pub(crate) fn create(server: &str, name: &str) {
    let template = format!("tidegauge_migrated_{}", super::migrations::digest("postgres"));
    if copy(server, &template, name).is_err() {
        make(server, &template);
        copy(server, &template, name).unwrap();
    }
}

fn copy(server: &str, template: &str, name: &str) -> Result<(), String> {
    // Copying its files takes a third of the time that writing each page to the log does. Before version 15 there is no
    // other way, and no word for this one.
    let statement = format!(
        "SELECT 'CREATE DATABASE {name} TEMPLATE {template}' || CASE \
         WHEN current_setting('server_version_num')::int < 150000 THEN '' ELSE ' STRATEGY FILE_COPY' END \\gexec\n"
    );
    ask(server, &statement)
}

/// Makes it under another name, because other processes may be about to make it too, and so that what was not finished is
/// never copied.
fn make(server: &str, template: &str) {
    let name = format!("tidegauge_migrating_{:016x}", RandomState::new().build_hasher().finish());
    ask(server, &format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8';")).unwrap();
    let (address, _) = server.rsplit_once('/').unwrap();
    let own = format!("{address}/{name}");
    let location = Location::Postgres(own.clone());
    // On a thread of its own, because the caller's may be a runtime's.
    let opens = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let key = SealKey::new(&[0; SealKey::LENGTH]);
            Catalog::open_waiting(&location, key, WAIT_MAX).await.unwrap().close().await;
        });
    };
    std::thread::spawn(opens).join().unwrap();
    ask(&own, "DELETE FROM installation WHERE name = 'seal-proof';").unwrap();
    if ask(server, &format!("ALTER DATABASE {name} RENAME TO {template};")).is_err() {
        // Somebody else was quicker. If not, the copy that is made next says what is wrong.
        ask(server, &format!("DROP DATABASE {name} WITH (FORCE);")).unwrap();
    }
}

fn ask(server: &str, statements: &str) -> Result<(), String> {
    let mut client = Command::new("psql")
        .args(["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", server])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    client.stdin.take().unwrap().write_all(statements.as_bytes()).unwrap();
    let output = client.wait_with_output().unwrap();
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("psql: {}", String::from_utf8_lossy(&output.stderr))),
    }
}
