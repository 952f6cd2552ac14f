//! The steps that histories are made of: what senders, jobs and people do to a store, and how processes end and take
//! turns. Each step says to the model what it was told, and the model says later whether that was true.

use std::collections::BTreeSet;
use std::time::Duration;

use tidegauge_catalog::datasets::DatasetPatch;
use tidegauge_model::{Clock, DatasetId, Timestamp};

use super::faults::Plan;
use super::history::History;
use super::model::{Dataset, Fate, Standing, Wrong, number_in, number_of};
use super::node::LEASE;
use super::world::NODES;
use crate::deletion::id_of;
use crate::house::new_dataset;

impl History {
    /// Does one thing, of which anything may go wrong.
    pub(super) async fn step(&mut self) -> Result<(), Wrong> {
        let plan = Plan::by(&self.dice);
        match self.dice.below(34) {
            0..=11 => self.send(Some(plan)).await?,
            12..=14 => self.flush(plan).await?,
            15..=17 => {
                let store = self.store();
                self.work("merge", plan, async move { store.compact_step().await }).await?;
            }
            18..=20 => self.delete(plan).await?,
            21 => self.trim(plan).await?,
            22 => self.retain(plan).await?,
            23..=24 => {
                let store = self.store();
                self.work("collect garbage", plan, async move { store.collect_garbage().await }).await?;
            }
            25 => {
                let store = self.store();
                self.work("sweep", plan, async move { store.collect_orphans().await }).await?;
            }
            26 => self.vacuum(plan).await?,
            27..=28 => {
                let seconds = self.dice.below(20 * 3600);
                self.wait(Duration::from_secs(seconds));
            }
            29 => {
                let leader = self.leader;
                self.nodes[leader].kill(&self.dice);
            }
            30 => self.close().await?,
            31..=32 => self.take_turns().await?,
            _ => self.delete_dataset(plan).await?,
        }
        if self.nodes[self.leader].store.is_none() {
            self.restart().await?;
        }
        Ok(())
    }

    /// Something that comes in between while the leader waits for an answer.
    pub(super) async fn interlude(&mut self) -> Result<(), Wrong> {
        self.world.note("  in between:".to_owned());
        match self.dice.below(6) {
            0..=2 => self.send_another().await?,
            3..=4 => {
                self.take_over().await?;
                self.send(None).await?;
                let store = self.store();
                self.work("flush all", Plan::default(), async move { store.flush_all().await }).await?;
            }
            _ => self.delete_dataset(Plan::default()).await?,
        }
        self.check(false).await?;
        self.world.note("  and on:".to_owned());
        Ok(())
    }

    /// Does something of which nothing is told to anybody. Gives its answer, if there was one.
    pub(super) async fn work<T>(
        &mut self,
        what: &str,
        plan: Plan,
        work: impl Future<Output = tidegauge_store::Result<T>>,
    ) -> Result<Option<T>, Wrong> {
        self.world.note(format!("  {what}"));
        match self.attempt(Some(plan), work).await? {
            Some(Ok(done)) => Ok(Some(done)),
            Some(Err(error)) => {
                self.world.note(format!("  {what}: {error}"));
                Ok(None)
            }
            None => Ok(None),
        }
    }

    pub(super) fn some_dataset(&self) -> Option<usize> {
        self.dice.pick(&self.live()).copied()
    }

    async fn flush(&mut self, plan: Plan) -> Result<(), Wrong> {
        let (store, way) = (self.store(), self.dice.below(3));
        let Some(at) = self.some_dataset() else { return Ok(()) };
        let state = store.dataset(&self.datasets[at].id);
        let work = async move {
            match (way, state) {
                (0, _) => store.flush_due().await,
                (1, Some(state)) => store.flush(&state).await,
                _ => store.flush_all().await,
            }
        };
        self.work("flush", plan, work).await.map(drop)
    }

    async fn vacuum(&mut self, plan: Plan) -> Result<(), Wrong> {
        let store = self.store();
        let Some(at) = self.some_dataset() else { return Ok(()) };
        let Some(state) = store.dataset(&self.datasets[at].id) else { return Ok(()) };
        self.work("vacuum", plan, async move { store.vacuum(&state).await }).await.map(drop)
    }

    /// Deletes some of the events that are seen: those of one request, those before a time, or every so manieth.
    async fn delete(&mut self, plan: Plan) -> Result<(), Wrong> {
        let store = self.store();
        let Some(at) = self.some_dataset() else { return Ok(()) };
        let Some(state) = store.dataset(&self.datasets[at].id) else { return Ok(()) };
        self.world.set_quiet(true);
        let rows = store.rows(&state).await.map_err(|error| format!("cannot read: {error}"))?;
        self.world.set_quiet(false);
        let (way, step) = (self.dice.below(3), self.dice.below(5) + 1);
        let Some(one) = self.dice.pick(&rows) else { return Ok(()) };
        let is_chosen = |(at, row): &(usize, &tidegauge_store::StoredRow)| match way {
            0 => row.sequence == one.sequence,
            1 => row.time < one.time,
            _ => (*at as u64).is_multiple_of(step),
        };
        let chosen: Vec<_> = rows.iter().enumerate().filter(is_chosen).map(|(_, row)| row).collect();
        let numbers: BTreeSet<i64> = chosen.iter().filter_map(|row| number_of(row)).collect();
        let doomed: Vec<_> = chosen.into_iter().map(id_of).collect();
        self.datasets[at].doom(|event| numbers.contains(&number_in(event)), Fate::Doomed);
        let what = format!("delete {} events of {}", doomed.len(), self.datasets[at].name);
        let work = async move { store.delete_rows(&state, doomed).await };
        self.merges_beside = self.is_narrow;
        let done = self.work(&what, plan, work).await?;
        self.merges_beside = false;
        if done.is_some() {
            self.datasets[at].doom(|event| numbers.contains(&number_in(event)), Fate::Gone);
        }
        Ok(())
    }

    async fn trim(&mut self, plan: Plan) -> Result<(), Wrong> {
        let store = self.store();
        let Some(at) = self.some_dataset() else { return Ok(()) };
        let Some(state) = store.dataset(&self.datasets[at].id) else { return Ok(()) };
        let border = self.world.clock.now().minus_seconds(self.dice.below(5 * 86_400) as i64);
        self.datasets[at].doom(|event| event.time < border.as_nanos(), Fate::Doomed);
        let leader = self.leader;
        let work = async move { store.trim(&state, border).await };
        let done = self.work("trim", plan, work).await?;
        self.after_removal(&[(at, border)], leader, done.is_some()).await
    }

    async fn retain(&mut self, plan: Plan) -> Result<(), Wrong> {
        let (store, leader, now) = (self.store(), self.leader, self.world.clock.now());
        let mut borders = Vec::new();
        for at in self.live() {
            let Some(days) = self.datasets[at].retention_days else { continue };
            let border = now.minus_seconds(i64::from(days) * 86_400);
            self.datasets[at].doom(|event| event.time < border.as_nanos(), Fate::Doomed);
            borders.push((at, border));
        }
        let done = self.work("retain", plan, async move { store.enforce_retention().await }).await?;
        self.after_removal(&borders, leader, done.is_some()).await
    }

    /// Events before some times were to be removed.
    async fn after_removal(
        &mut self,
        borders: &[(usize, Timestamp)],
        leader: usize,
        is_done: bool,
    ) -> Result<(), Wrong> {
        if self.leader != leader {
            return Ok(());
        }
        for (at, border) in borders {
            // Some may have come in between.
            self.datasets[*at].doom(|event| event.time < border.as_nanos(), Fate::Doomed);
            if is_done && self.datasets[*at].standing == Standing::Live {
                self.check_removed(*at, *border).await?;
            }
        }
        Ok(())
    }

    pub(super) async fn make_dataset(&mut self, name: &str, retention_days: Option<u32>) {
        let (store, now) = (self.store(), self.world.clock.now());
        let id = DatasetId::generate(now, self.dice.rng());
        let catalog = &self.nodes[self.leader].catalog;
        let dataset = new_dataset(id.clone(), &self.org, name, now);
        let stored = catalog.insert_dataset(&self.org, &dataset, 1000, &self.change()).await.unwrap();
        let patch = DatasetPatch { use_retention: Some(true), retention_days, ..DatasetPatch::default() };
        if retention_days.is_some() {
            catalog.update_dataset(&self.org, name, patch, now, &self.change()).await.unwrap();
        }
        store.add(&stored).unwrap();
        let (name, standing) = (name.to_owned(), Standing::Live);
        self.datasets.push(Dataset { id, name, retention_days, standing, requests: Vec::new() });
    }

    /// Deletes a dataset as the service does, and makes another one with its name.
    async fn delete_dataset(&mut self, plan: Plan) -> Result<(), Wrong> {
        let (store, leader) = (self.store(), self.leader);
        let Some(at) = self.some_dataset() else { return Ok(()) };
        let catalog = std::sync::Arc::clone(&self.nodes[leader].catalog);
        let dataset = &self.datasets[at];
        let (id, name, days) = (dataset.id.clone(), dataset.name.clone(), dataset.retention_days);
        let (org, change, now) = (self.org.clone(), self.change(), self.world.clock.now());
        self.datasets[at].standing = Standing::Doomed;
        let deleted_name = name.clone();
        let work = async move {
            catalog.delete_dataset(&org, &deleted_name, now, &change).await?;
            let last = store.stats().last_sequence;
            store.remove(&id);
            // The log hears of it without being waited for; here it is, so that the same is written first each time.
            while store.stats().last_sequence == last {
                tokio::task::yield_now().await;
            }
            Ok::<(), tidegauge_store::Error>(())
        };
        let plan = Plan { spares_disk: true, pause: None, ..plan };
        match self.work(&format!("delete the dataset {name}"), plan, work).await? {
            Some(()) => {
                self.datasets[at].standing = Standing::Gone;
                // The other node has not heard of it.
                self.may_have_put_aside |=
                    self.nodes.iter().any(|node| node.number != leader && node.has_log());
                self.make_dataset(&name, days).await;
            }
            None => self.may_have_put_aside = true,
        }
        Ok(())
    }

    /// Stops the leader in good order, so that any node can start at once.
    async fn close(&mut self) -> Result<(), Wrong> {
        self.world.note("  stop".to_owned());
        let leader = self.leader;
        // The lease is renewed meanwhile, and nobody knows in which order the calls are made.
        self.world.set_quiet(true);
        let closed = self.store().close().await;
        self.world.set_quiet(false);
        closed.map_err(|error| format!("a stop fails: {error}"))?;
        self.nodes[leader].kill(&self.dice);
        let next = if self.dice.one_in(3) { (leader + 1) % NODES } else { leader };
        self.start(next, None).await
    }

    /// The leader is silent for longer than its lease, and the other node starts.
    pub(super) async fn take_over(&mut self) -> Result<(), Wrong> {
        self.wait(LEASE + Duration::from_secs(1));
        self.start((self.leader + 1) % NODES, None).await
    }

    /// The other node takes the lease. Who had it goes on as if nothing had happened, and nothing must come of it.
    async fn take_turns(&mut self) -> Result<(), Wrong> {
        let old = self.leader;
        self.take_over().await?;
        if self.dice.one_in(2) {
            self.send(None).await?;
        }
        self.defy(old).await?;
        self.nodes[old].kill(&self.dice);
        Ok(())
    }
}
