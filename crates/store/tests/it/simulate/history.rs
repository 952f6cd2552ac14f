//! A history: what is done to a store in a simulated world, step by step, and what is known of it afterwards. Which
//! steps there are is said in `steps`, what must hold after each in `checks`.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::FusedFuture;
use tidegauge_catalog::Change;
use tidegauge_model::{Clock, OrgId};
use tidegauge_store::Store;

use super::dice::Dice;
use super::faults::Plan;
use super::model::{Dataset, Standing, Wrong};
use super::node::{LEASE, Node};
use super::world::{NODES, Told, World};

const STEPS: u64 = 24;

pub(super) struct History {
    pub(super) world: Arc<World>,
    pub(super) dice: Dice,
    pub(super) nodes: Vec<Node>,
    /// Which node has the lease.
    pub(super) leader: usize,
    pub(super) datasets: Vec<Dataset>,
    /// How many events were sent.
    pub(super) events: i64,
    pub(super) org: OrgId,
    /// Whether a dataset was deleted while something was away that should have heard of it: its events in a log are put
    /// aside then, for somebody to look at.
    pub(super) may_have_put_aside: bool,
    /// Whether there is one dataset alone.
    pub(super) is_narrow: bool,
    /// Whether segments may be merged beside the present piece of work.
    pub(super) merges_beside: bool,
}

impl History {
    pub(super) async fn new(world: Arc<World>, seed: u64) -> Self {
        let mut nodes = Vec::with_capacity(NODES);
        for number in 0..NODES {
            nodes.push(Node::new(&world, number, seed).await);
        }
        Self {
            world,
            dice: Dice::new(seed),
            nodes,
            leader: 0,
            datasets: Vec::new(),
            events: 0,
            org: OrgId::from("org_house"),
            may_have_put_aside: false,
            is_narrow: seed.is_multiple_of(3),
            merges_beside: false,
        }
    }

    pub(super) async fn run(mut self) -> Result<(), Wrong> {
        self.world.note("the first start".to_owned());
        self.start(0, None).await?;
        let datasets = [("short-lived", Some(2)), ("plain", None), ("other", None)];
        for (name, retention_days) in &datasets[..if self.is_narrow { 1 } else { 3 }] {
            self.make_dataset(name, *retention_days).await;
        }
        for step in 0..STEPS {
            self.world.note(format!("step {step}"));
            if self.dice.one_in(3) {
                self.land();
            }
            Box::pin(self.step()).await?;
            self.check(false).await?;
        }
        self.world.note("the end".to_owned());
        Box::pin(self.audit()).await
    }

    pub(super) fn store(&self) -> Arc<Store> {
        Arc::clone(self.nodes[self.leader].store.as_ref().unwrap())
    }

    pub(super) fn change(&self) -> Change {
        Change {
            org: Some(self.org.clone()),
            actor: "user_owner".to_owned(),
            at: self.world.clock.now(),
            request_id: "req".to_owned(),
        }
    }

    /// Which datasets are there for certain.
    pub(super) fn live(&self) -> Vec<usize> {
        let is_live = |(_, dataset): &(usize, &Dataset)| dataset.standing == Standing::Live;
        self.datasets.iter().enumerate().filter(is_live).map(|(at, _)| at).collect()
    }

    /// What was on its way to the bucket arrives.
    pub(super) fn land(&mut self) {
        let landed = self.world.bucket.land(self.world.clock.now());
        if landed > 0 {
            self.world.note(format!("  {landed} late objects arrive"));
        }
    }

    /// Time goes on. A request to the bucket takes less than an hour, whatever its sender hears.
    pub(super) fn wait(&mut self, time: Duration) {
        self.land();
        self.world.clock.advance(time);
        self.world.note(format!("  {} s go by", time.as_secs()));
    }

    /// Does a piece of work of the leader while things go wrong for it as planned. `None` if its process has died.
    pub(super) async fn attempt<T>(
        &mut self,
        plan: Option<Plan>,
        work: impl Future<Output = T>,
    ) -> Result<Option<T>, Wrong> {
        let (world, node) = (Arc::clone(&self.world), self.leader);
        world.set_plan(plan.map(|plan| (node, plan, 0)));
        let mut work = Box::pin(work);
        let done = loop {
            let told = tokio::select! {
                biased;
                told = world.told(node) => told,
                done = &mut work => break Some(done),
            };
            if told == Told::Died {
                break None;
            }
            let plan = world.set_plan(None);
            if self.merges_beside && self.dice.one_in(2) {
                break Some(self.merge_beside(&mut work).await);
            }
            Box::pin(self.interlude()).await?;
            world.set_plan(plan);
            world.resume();
        };
        drop(work);
        world.set_plan(None);
        let done = done.filter(|_| !world.is_dead(node));
        if self.leader != node {
            // It goes on for a while after it has lost the lease, and then it is stopped.
            self.nodes[node].kill(&self.dice);
            return Ok(done);
        }
        if done.is_none() {
            self.world.note("  the process has died".to_owned());
            self.nodes[node].kill(&self.dice);
        }
        Ok(done)
    }

    /// Goes on with a piece of work that was held up while segments are merged beside it. Of the two, one has the dataset
    /// and the other waits for it; so both come to the same each time, although nobody knows in which order calls are
    /// made that need it no more. So none of them fails.
    async fn merge_beside<T>(&mut self, work: impl Future<Output = T>) -> T {
        self.world.note("  a merge beside it".to_owned());
        self.world.set_quiet(true);
        let store = self.store();
        let merging = async move { store.compact_step().await };
        // It has begun, and waits for the dataset, when the other goes on.
        let mut merging = Box::pin(merging.fuse());
        let _ = futures_util::poll!(&mut merging);
        self.world.resume();
        let rest = async {
            if !merging.is_terminated() {
                let _ = merging.await;
            }
        };
        let (done, ()) = tokio::join!(work, rest);
        self.world.set_quiet(false);
        done
    }

    /// Starts a node, which may fail or die at first if so planned, and has it lead.
    pub(super) async fn start(&mut self, node: usize, plan: Option<Plan>) -> Result<(), Wrong> {
        self.leader = node;
        let mut plan = plan;
        loop {
            self.world.note(format!("  node {node} starts"));
            let opening = self.nodes[node].opening();
            let is_calm = plan.is_none();
            match self.attempt(plan.take(), opening).await? {
                Some(Ok(store)) => {
                    self.nodes[node].store = Some(Arc::new(store));
                    return self.check(true).await;
                }
                Some(Err(error)) if is_calm => return Err(format!("a start fails: {error} {error:?}")),
                Some(Err(error)) => {
                    self.world.note(format!("  it does not start: {error}"));
                    self.nodes[node].kill(&self.dice);
                }
                None if is_calm => return Err("a start dies by itself".to_owned()),
                None => {}
            }
        }
    }

    /// After the end of the process that led: it starts again, or the other node does when the lease has run out.
    pub(super) async fn restart(&mut self) -> Result<(), Wrong> {
        let mut node = self.leader;
        if self.dice.one_in(5) {
            node = (node + 1) % NODES;
            self.wait(LEASE + Duration::from_secs(1));
        }
        let plan = self.dice.one_in(3).then(|| Plan { pause: None, ..Plan::by(&self.dice) });
        self.start(node, plan).await
    }
}
