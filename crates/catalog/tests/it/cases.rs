//! A case of the suite, and how it is run: as a trial on a database of its own, which goes however the case ends. The cases
//! are listed in `main.rs`.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;

use libtest_mimic::Trial;
use tokio::runtime::Runtime;

use crate::database::{Backend, Beginning, Database};

/// One case, run on a database in which nothing was done yet.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) beginning: Beginning,
    pub(crate) run: for<'a> fn(&'a Database) -> Pin<Box<dyn Future<Output = ()> + 'a>>,
}

/// Cases of the form `async fn(test: &TestCatalog<'_>)`, by module.
macro_rules! catalog_cases {
    ($($module:ident { $($case:ident,)* })*) => {
        &[$($($crate::cases::Case {
            name: concat!(stringify!($module), "::", stringify!($case)),
            beginning: $crate::database::Beginning::Migrated,
            run: |database| Box::pin(async move {
                let test = $crate::database::TestCatalog::open(database).await;
                $module::$case(&test).await;
            }),
        },)*)*]
    };
}

/// Cases of the form `async fn(database: &Database)` that begin with an empty database, by name.
macro_rules! database_cases {
    ($($name:literal => $case:path,)*) => {
        &[$($crate::cases::Case {
            name: $name,
            beginning: $crate::database::Beginning::Empty,
            run: |database| Box::pin($case(database)),
        },)*]
    };
}

pub(crate) use {catalog_cases, database_cases};

pub(crate) fn trial(prefix: &str, case: &'static Case, backend: Backend) -> Trial {
    Trial::test(format!("{prefix}::{}", case.name), move || {
        run(case, backend);
        Ok(())
    })
}

/// Runs a case, and removes its database however the case ends.
fn run(case: &Case, backend: Backend) {
    let runtime = Runtime::new().unwrap();
    let database = runtime.block_on(Database::create(backend, case.beginning));
    let outcome = catch_unwind(AssertUnwindSafe(|| runtime.block_on((case.run)(&database))));
    runtime.block_on(database.remove());
    if let Err(panic) = outcome {
        resume_unwind(panic);
    }
}
