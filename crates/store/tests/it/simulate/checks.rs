//! What must hold after each step, after each start, and at the end of a history.

use std::collections::BTreeSet;
use std::time::Duration;

use tidegauge_model::Timestamp;
use tidegauge_store::{FindingKind, Store};

use super::history::History;
use super::model::{Dataset, Fate, Standing, View, Wrong, number_in};
use super::node::{GRACE, LEASE};
use super::sending::mark_of;
use super::world::NODES;

/// After so long nothing is on its way to the bucket any more.
const UNPUBLISHED_AGE: Duration = Duration::from_secs(3600);

/// So old is what a sweep takes.
const ORPHAN_AGE: Duration = Duration::from_secs(8 * 24 * 3600);

fn failed(what: &str) -> impl Fn(tidegauge_store::Error) -> Wrong + '_ {
    move |error| format!("{what} fails: {error} {error:?}")
}

impl History {
    /// Compares what the leader sees with what must be there.
    pub(super) async fn check(&mut self, is_fresh: bool) -> Result<(), Wrong> {
        let Some(store) = self.nodes[self.leader].store.clone() else { return Ok(()) };
        self.world.set_quiet(true);
        let checked = self.look(&store, is_fresh).await;
        self.world.set_quiet(false);
        checked
    }

    async fn look(&mut self, store: &Store, is_fresh: bool) -> Result<(), Wrong> {
        if is_fresh && !store.damage().is_empty() {
            return Err(format!("the log is damaged: {:?}", store.damage()));
        }
        for at in 0..self.datasets.len() {
            let state = store.dataset(&self.datasets[at].id);
            let dataset = &mut self.datasets[at];
            // It is certain what became of its deletion once the catalogue was read.
            dataset.standing = match (dataset.standing, &state) {
                (Standing::Doomed, Some(_)) if is_fresh => Standing::Live,
                (Standing::Doomed, None) => Standing::Gone,
                (standing, _) => standing,
            };
            match (dataset.standing, state) {
                (Standing::Live, Some(state)) => {
                    let rows = store.rows(&state).await.map_err(failed("reading"))?;
                    let fields = state.fields();
                    let is_known = |field: &str| fields.contains_key(field);
                    if let Some((field, _)) =
                        rows.iter().flat_map(|row| &row.fields).find(|(field, _)| !is_known(field))
                    {
                        return Err(format!("{}: the field {field} is not known", dataset.name));
                    }
                    let is_flushed = state.buffered_batches() == 0;
                    let view = View { node: self.leader, is_fresh, is_certain: is_fresh, is_flushed };
                    dataset.look(&rows, view)?;
                }
                (Standing::Live, None) => return Err(format!("the dataset {} is gone", dataset.name)),
                (Standing::Gone, Some(_)) => return Err(format!("the dataset {} is back", dataset.name)),
                _ => {}
            }
        }
        self.look_at_objects().await.map(drop)
    }

    /// No segment that counts is without its object. Gives the objects of those that do.
    async fn look_at_objects(&self) -> Result<BTreeSet<String>, Wrong> {
        let catalog = &self.nodes[self.leader].catalog;
        let live = catalog.all_live_segments().await.map_err(|error| format!("cannot list: {error}"))?;
        let live: BTreeSet<String> = live.into_iter().map(|segment| segment.path).collect();
        let stored: BTreeSet<String> = self.world.bucket.paths().into_iter().collect();
        match live.difference(&stored).next() {
            Some(missing) => Err(format!("the object {missing} is missing")),
            None => Ok(live),
        }
    }

    /// After events before a time were removed, no segment is left that has no others.
    pub(super) async fn check_removed(&mut self, at: usize, border: Timestamp) -> Result<(), Wrong> {
        let store = self.store();
        let Some(state) = store.dataset(&self.datasets[at].id) else { return Ok(()) };
        self.world.set_quiet(true);
        let rows = store.rows(&state).await.map_err(failed("reading"))?;
        self.world.set_quiet(false);
        if let Some(old) =
            state.snapshot().segments.iter().find(|segment| segment.max_time < border.as_nanos())
        {
            return Err(format!("{} is older than {border} and was not removed", old.id));
        }
        let (node, is_flushed) = (self.leader, state.buffered_batches() == 0);
        self.datasets[at].look(&rows, View { node, is_fresh: false, is_certain: true, is_flushed })
    }

    /// Who has lost the lease does what it did before: nothing is acknowledged, and nothing changes.
    pub(super) async fn defy(&mut self, old: usize) -> Result<(), Wrong> {
        let Some(store) = self.nodes[old].store.clone() else { return Ok(()) };
        self.world.note(format!("  node {old} has lost the lease and goes on"));
        let catalog = std::sync::Arc::clone(&self.nodes[self.leader].catalog);
        let live =
            async || catalog.all_live_segments().await.map_err(|error| format!("cannot list: {error}"));
        let before = live().await?;
        let Some(at) = self.some_dataset() else { return Ok(()) };
        let leader = std::mem::replace(&mut self.leader, old);
        let state = store.dataset(&self.datasets[at].id);
        if let Some(state) = state {
            let request = self.new_request(at);
            self.deliver(at, request, None).await?;
            if self.datasets[at].requests[request].attempts.iter().any(|attempt| attempt.sequence.is_some()) {
                return Err("a request was acknowledged without the lease".to_owned());
            }
            let rows = state.snapshot().segments.iter().map(|segment| segment.max_time).max();
            let late = Timestamp::from_nanos(rows.unwrap_or(0)).plus(Duration::from_secs(1));
            let _ = store.trim(&state, late).await;
        }
        let _ = store.flush_all().await;
        let _ = store.compact_step().await;
        let _ = store.collect_garbage().await;
        self.leader = leader;
        if live().await? != before {
            return Err("segments have changed by who has lost the lease".to_owned());
        }
        Ok(())
    }

    /// The end of a history: each node starts once more and moves all it has to segments. Then every event that was
    /// acknowledged is seen by both, and of what was deleted no file has anything.
    pub(super) async fn audit(&mut self) -> Result<(), Wrong> {
        for _ in 0..NODES {
            for at in self.live() {
                for request in self.repeatable(at).into_iter().rev().take(2) {
                    self.deliver(at, request, None).await?;
                }
            }
            self.tidy_up().await?;
            let old = self.leader;
            self.nodes[old].kill(&self.dice);
            self.wait(LEASE + Duration::from_secs(1));
            self.start((old + 1) % NODES, None).await?;
        }
        self.tidy_up().await?;
        if self.world.has_been_full() {
            // What was written without a note is found when it has been there for long.
            self.wait(ORPHAN_AGE);
            self.store().collect_orphans().await.map_err(failed("a sweep"))?;
        }
        self.check_left_over().await?;
        let leader = self.leader;
        self.nodes[leader].kill(&self.dice);
        self.start(leader, None).await
    }

    /// Does all that jobs do, until there is nothing left to do.
    async fn tidy_up(&mut self) -> Result<(), Wrong> {
        let store = self.store();
        store.flush_all().await.map_err(failed("flushing"))?;
        while store.compact_step().await.map_err(failed("merging"))? {}
        self.check(false).await?;
        self.wait(GRACE + UNPUBLISHED_AGE);
        for _ in 0..3 {
            self.wait(Duration::from_secs(60));
            store.collect_garbage().await.map_err(failed("collecting garbage"))?;
        }
        self.check(false).await
    }

    /// What was deleted is in no object and in no file of the log.
    async fn check_left_over(&self) -> Result<(), Wrong> {
        let live = self.look_at_objects().await?;
        let stored: BTreeSet<String> = self.world.bucket.paths().into_iter().collect();
        // Of a dataset that the catalogue does not have, only what is noted is deleted: it may be the wrong catalogue.
        let is_gone = |path: &str| {
            let of = |dataset: &Dataset| path.contains(dataset.id.as_str());
            self.datasets.iter().any(|dataset| dataset.standing == Standing::Gone && of(dataset))
        };
        let may_stay = |path: &str| self.world.has_been_full() && is_gone(path);
        if let Some(left) = stored.difference(&live).find(|path| !may_stay(path)) {
            return Err(format!("the object {left} is left, and no segment has it"));
        }
        let node = &self.nodes[self.leader];
        let mut logs = Vec::new();
        for file in node.log_files() {
            logs.extend(std::fs::read(file).map_err(|error| error.to_string())?);
        }
        for dataset in &self.datasets {
            let fates = |request: &super::model::Request| {
                let gone = |fate: &Fate| dataset.standing == Standing::Gone || *fate == Fate::Gone;
                let numbers = request.events.iter().map(number_in).zip(&request.fates);
                numbers.filter(|(_, fate)| gone(fate)).map(|(number, _)| number).collect::<Vec<_>>()
            };
            for number in dataset.requests.iter().flat_map(fates) {
                let mark = mark_of(number);
                if logs.windows(mark.len()).any(|window| window == mark.as_bytes()) {
                    return Err(format!("event {number} of {} is deleted, and in the log", dataset.name));
                }
            }
        }
        self.world.set_quiet(true);
        let findings = self.store().check(true).await.map_err(failed("a check"))?;
        self.world.set_quiet(false);
        let is_expected = |kind: FindingKind| kind == FindingKind::OrphanedEvents && self.may_have_put_aside;
        match findings.into_iter().find(|finding| !is_expected(finding.kind)) {
            Some(finding) => Err(format!("a check finds: {finding}")),
            None => Ok(()),
        }
    }
}
