//! What people have defined for a name that a query reads from: the text of a view, or the virtual fields of a dataset.
//! Remembered for a moment, because every query asks and it seldom changes. A change that this process makes is seen at
//! once; one by another process within a second.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tidegauge_catalog::{Catalog, Error};
use tidegauge_model::{OrgId, Timestamp};

/// How long what was read counts.
const REMEMBERED_MICROS: i64 = 1_000_000;

/// How much is remembered, in bytes of text.
const BYTES_MAX: usize = 16 * 1024 * 1024;

/// What a name costs beside its texts.
const NAME_BYTES: usize = 256;

/// The names that were asked for a moment ago.
#[derive(Debug, Default)]
pub struct Definitions(Mutex<Remembered>);

#[derive(Debug, Default)]
struct Remembered {
    names: HashMap<(OrgId, String), Known>,
    bytes: usize,
}

#[derive(Debug)]
struct Known {
    definition: Arc<Definition>,
    /// The state of the catalogue that it was read from.
    changes: u64,
    at: Timestamp,
}

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
        &self,
        catalog: &Catalog,
        org: &OrgId,
        name: &str,
        now: Timestamp,
    ) -> Result<Arc<Definition>, Error> {
        let asked = (org.clone(), name.to_owned());
        // Read before the look-up, so that a change during it ends the memory.
        let changes = catalog.changes();
        if let Some(known) = self.0.lock().unwrap_or_else(PoisonError::into_inner).names.get(&asked) {
            let age = now.as_micros().saturating_sub(known.at.as_micros());
            if known.changes == changes && (0..REMEMBERED_MICROS).contains(&age) {
                return Ok(Arc::clone(&known.definition));
            }
        }
        let virtual_fields = catalog.virtual_fields_of(org, name).await?;
        let view = catalog.view_by_name(org, name).await?.map(|view| view.apl);
        let definition = Arc::new(Definition { view, virtual_fields });
        self.remember(asked, Known { definition: Arc::clone(&definition), changes, at: now });
        Ok(definition)
    }

    fn remember(&self, asked: (OrgId, String), known: Known) {
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = known.definition.bytes();
        if remembered.bytes + bytes > BYTES_MAX {
            *remembered = Remembered::default();
        }
        remembered.bytes += bytes;
        if let Some(before) = remembered.names.insert(asked, known) {
            remembered.bytes -= before.definition.bytes();
        }
    }
}
