//! What people have defined for a name that a query reads from: the text of a view, or the virtual fields of a dataset.
//! Remembered for a moment, because every query asks and it seldom changes. A change that this process makes is seen at
//! once; one by another process within a second. What is in use is read again before that.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tidegauge_admission::cached::{Cached, Source, or_read};
use tidegauge_catalog::{Catalog, Error};
use tidegauge_model::{OrgId, Timestamp};

/// How long what was read counts.
const CACHED_MICROS: i64 = 1_000_000;

/// How much is remembered, in bytes of text.
const BYTES_MAX: usize = 16 * 1024 * 1024;

/// What a name costs beside its texts.
const NAME_BYTES: usize = 256;

/// The names that were asked for a moment ago.
#[derive(Debug, Default)]
pub struct Definitions(Mutex<Names>);

#[derive(Debug, Default)]
struct Names {
    known: HashMap<Asked, Cached<Arc<Definition>>>,
    bytes: usize,
}

/// An organisation, and a name in it.
type Asked = (OrgId, String);

/// What was defined for a name.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Definition {
    /// The text of the view's query, if the name is that of a view.
    pub view: Option<String>,
    /// Name and expression of the dataset's virtual fields, in the order of their creation.
    pub virtual_fields: Vec<(String, String)>,
}

impl Definition {
    fn bytes(&self) -> usize {
        let fields = self.virtual_fields.iter().map(|(name, expression)| name.len() + expression.len());
        NAME_BYTES + self.view.as_ref().map_or(0, String::len) + fields.sum::<usize>()
    }
}

impl Definitions {
    /// What is defined for the name of a dataset or a view; nothing for a name that is neither.
    pub async fn of(
        self: &Arc<Self>,
        source: Source<'_>,
        org: &OrgId,
        name: &str,
        now: Timestamp,
    ) -> Result<Arc<Definition>, Error> {
        let asked = (org.clone(), name.to_owned());
        let (definitions, catalog) = (Arc::clone(self), Arc::clone(source.catalog));
        let known = self.known(&asked, catalog.changes(), now);
        or_read(known, source.tasks, || async move { definitions.read(&catalog, asked, now).await }).await
    }

    async fn read(&self, catalog: &Catalog, asked: Asked, now: Timestamp) -> Result<Arc<Definition>, Error> {
        // Read before the look-up, so that a change during it ends the memory.
        let changes = catalog.changes();
        let (org, name) = &asked;
        let read = tokio::try_join!(catalog.virtual_fields_of(org, name), catalog.view_by_name(org, name));
        let (virtual_fields, view) = read?;
        let definition = Arc::new(Definition { view: view.map(|view| view.apl), virtual_fields });
        self.remember(asked, Cached::new(Arc::clone(&definition), changes, now));
        Ok(definition)
    }

    fn known(&self, asked: &Asked, changes: u64, now: Timestamp) -> Option<(Arc<Definition>, bool)> {
        self.lock().known.get_mut(asked)?.get(changes, now, CACHED_MICROS)
    }

    fn remember(&self, asked: Asked, known: Cached<Arc<Definition>>) {
        let mut names = self.lock();
        let bytes = known.value().bytes();
        if names.bytes + bytes > BYTES_MAX {
            *names = Names::default();
        }
        names.bytes += bytes;
        if let Some(before) = names.known.insert(asked, known) {
            names.bytes -= before.value().bytes();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Names> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
