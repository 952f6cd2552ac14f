//! Which fields the rows show, in which order: those of the dataset and what was computed beside them, or a list.

use tidegauge_exec::{ARRIVAL_FIELD, Result, Value};
use tidegauge_lang::nearest;
use tidegauge_model::columns::TIME_FIELD;

use super::Scope;
use super::shown::Shown;

/// Among more fields than these no name is looked for that could be meant: it is a courtesy, and must cost nothing.
const NEAR_FIELDS_MAX: usize = 2_000;

impl Scope {
    /// Gives a computed value a name, which hides a field of that name. It stands where that was, else at the end.
    pub fn define(&mut self, name: &str, value: Value) {
        self.computed.insert(name.to_owned(), value);
        self.defined.insert(name.to_owned());
        self.hidden.remove(name);
        match &mut self.shown {
            Shown::Everything { computed } => {
                computed.retain(|known| known != name);
                computed.push(name.to_owned());
            }
            Shown::Listed(names) if !names.iter().any(|known| known == name) => names.push(name.to_owned()),
            Shown::Listed(_) => {}
        }
    }

    /// From here on there are these fields and no others. Of two with one name the later one counts.
    pub fn list(&mut self, fields: Vec<(String, Value)>) {
        self.hidden.clear();
        self.defined = fields.iter().map(|(name, _)| name.clone()).collect();
        self.relist(fields);
    }

    /// As [`Self::list`], but what is not shown stays there for later stages.
    pub fn relist(&mut self, fields: Vec<(String, Value)>) {
        let mut names: Vec<String> = Vec::with_capacity(fields.len());
        self.computed.clear();
        self.virtual_fields.clear();
        self.is_of_events = false;
        for (name, value) in fields {
            if self.computed.insert(name.clone(), value).is_none() {
                names.push(name);
            }
        }
        self.shown = Shown::Listed(names);
    }

    /// What later stages name and no answer shows, in the order of names.
    pub fn hidden(&self) -> Vec<(String, Value)> {
        let mut hidden: Vec<(String, Value)> =
            self.hidden.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        hidden.sort_by(|(a, _), (b, _)| a.cmp(b));
        hidden
    }

    /// Shows these fields no more, and leaves them there for later stages.
    pub fn hide<'a>(&mut self, names: impl IntoIterator<Item = &'a String>) {
        for name in names {
            if let Some(value) = self.computed.remove(name) {
                self.hidden.insert(name.clone(), value);
            }
            if let Shown::Listed(shown) = &mut self.shown {
                shown.retain(|known| known != name);
            }
        }
    }

    /// Whether rows still have every field of their dataset.
    pub fn is_open(&self) -> bool {
        self.dataset.is_some() && self.shown.is_open()
    }

    /// Whether a name that nothing has is a field that no event has had.
    pub fn is_of_events(&self) -> bool {
        self.is_open() || self.is_of_events
    }

    /// Takes over from the scope before whether rows are events, which may have any field.
    pub fn stay_of_events(&mut self, is_of_events: bool) {
        self.is_of_events = is_of_events;
    }

    /// Takes over from the scopes before which fields the query gave their values; the others are those of events.
    pub fn stay_defined<'a>(&mut self, before: impl IntoIterator<Item = &'a Self>) {
        self.defined = before.into_iter().flat_map(|scope| &scope.defined).cloned().collect();
    }

    /// Goes on where another scope ended whose [`Self::carried`] fields these are: what it did not show is not shown
    /// here either, and events stay events.
    pub fn follow(&mut self, before: &Self) {
        self.hide(before.hidden.keys());
        self.stay_defined([before]);
        self.stay_of_events(before.is_of_events());
    }

    /// All fields with their values, and behind them what is not shown.
    pub fn carried(&mut self) -> Result<Vec<(String, Value)>> {
        let mut fields = self.fields()?;
        fields.extend(self.hidden());
        Ok(fields)
    }

    /// How heavy the heaviest computed field is.
    pub fn weight(&self) -> usize {
        let variants = self.computed.values().flat_map(|value| &value.variants);
        variants.map(|variant| variant.weight).max().unwrap_or(0)
    }

    /// What was computed beside the fields of the dataset, in order.
    pub fn computed(&self) -> Vec<(String, Value)> {
        let names = match &self.shown {
            Shown::Everything { computed } => computed,
            Shown::Listed(names) => names,
        };
        let known = |name: &String| Some((name.clone(), self.computed.get(name)?.clone()));
        names.iter().filter_map(known).collect()
    }

    /// The shown field whose name is most like another, which nothing has.
    pub(super) fn near(&self, name: &str) -> Option<String> {
        let is_wide = self.dataset.as_ref().is_some_and(|dataset| dataset.field_count() > NEAR_FIELDS_MAX);
        let names = if is_wide { Vec::new() } else { self.names() };
        nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
    }

    /// The names of all fields, in order.
    pub fn names(&self) -> Vec<String> {
        match &self.shown {
            Shown::Listed(names) => names.clone(),
            Shown::Everything { computed } => {
                let stored = self.dataset.as_ref().map(|dataset| dataset.fields()).unwrap_or_default();
                let own = [ARRIVAL_FIELD, TIME_FIELD].map(str::to_owned);
                let own = own.into_iter().filter(|_| self.dataset.is_some());
                let stored = own.chain(stored.into_keys());
                let stored = stored.filter(|name| !computed.contains(name));
                stored.chain(computed.iter().cloned()).collect()
            }
        }
    }

    /// All fields with their values, in order.
    pub fn fields(&mut self) -> Result<Vec<(String, Value)>> {
        let names = self.names();
        let mut fields = Vec::with_capacity(names.len());
        for name in names {
            let value = self.listed(&name).unwrap_or_default();
            fields.push((name, value));
        }
        Ok(fields)
    }
}
