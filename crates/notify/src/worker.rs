//! The worker: claims messages that are due, sends them side by side, and records how it went. A message that was sent
//! but whose end could not be recorded is sent again under the same id: at least once, and receivers can tell.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tidegauge_catalog::notifiers::Notifier;
use tidegauge_catalog::outbox::NewDelivery;
use tidegauge_catalog::outbox::attempts::{Attempt, Verdict};
use tidegauge_catalog::outbox::claim::Claimed;
use tidegauge_catalog::{Catalog, Error};
use tidegauge_egress::webhook::WebhookClient;
use tidegauge_model::message::Message;
use tidegauge_model::{Clock, DeliveryId, NotifierId, OrgId, Rng, Timestamp};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::backoff::{Failed, RetryPolicy};
use crate::breaker::{Admission, Breaker, Limits};
use crate::channels::{Bases, Configured, Context, Outbound, Unwritable};
use crate::mail::Mailer;
use crate::mail_rates::MailRates;
use crate::send::{Outcome, send, target_of};
use crate::signature::{SigningKey, SigningSecret};

/// How often the outbox is looked at when nobody says that there is something in it: other nodes fill it too.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// When a message is looked at again whose receiver has others to read.
const BUSY_WAIT: Duration = Duration::from_millis(500);

/// How often the end of an attempt is written anew when the catalogue does not take it.
const RECORD_TRIES: u32 = 3;

/// How messages are sent.
#[derive(Debug)]
pub struct WorkerOptions {
    pub webhook_client: WebhookClient,
    pub mailer: Option<Mailer>,
    pub bases: Bases,
    pub signing: SigningKey,
    pub retry_policy: RetryPolicy,
    pub limits: Limits,
    /// Mails that one organisation may have sent in an hour, by the addresses that they go to.
    pub mails_an_hour_max: u32,
    /// Messages that are under way at once, in all.
    pub in_flight_max: usize,
    /// How long a message is this node's own. Longer than an attempt takes.
    pub lease: Duration,
}

/// What has happened since the start.
#[derive(Debug, Default)]
pub struct Counts {
    sent: AtomicU64,
    failed: AtomicU64,
    dead: AtomicU64,
}

impl Counts {
    /// Messages that were sent, attempts that failed, and messages that were given up.
    pub fn read(&self) -> (u64, u64, u64) {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (read(&self.sent), read(&self.failed), read(&self.dead))
    }
}

/// One attempt with what it means.
#[derive(Clone, Debug)]
pub struct Tried {
    pub attempt: Attempt,
    pub outcome: Outcome,
}

/// Sends what is in the outbox.
#[derive(Debug)]
pub struct Worker {
    catalog: Arc<Catalog>,
    clock: Arc<dyn Clock>,
    rng: Arc<dyn Rng>,
    options: WorkerOptions,
    breaker: Breaker,
    mails: MailRates,
    /// What the leases of this process are known by.
    owner: String,
    wake: Notify,
    pub counts: Counts,
}

impl Worker {
    pub fn new(
        catalog: Arc<Catalog>,
        clock: Arc<dyn Clock>,
        rng: Arc<dyn Rng>,
        options: WorkerOptions,
    ) -> Self {
        let owner = DeliveryId::generate(clock.now(), &*rng).into_string();
        let (breaker, mails) = (Breaker::new(options.limits), MailRates::new(options.mails_an_hour_max));
        let counts = Counts::default();
        Self { catalog, clock, rng, options, breaker, mails, owner, wake: Notify::new(), counts }
    }

    /// What addresses are held to, for checks when a notifier is saved.
    pub fn webhook_client(&self) -> &WebhookClient {
        &self.options.webhook_client
    }

    pub fn age_max(&self) -> Duration {
        self.options.retry_policy.age_max
    }

    /// What the messages of a notifier are signed with.
    pub fn secret(&self, org: &OrgId, notifier: &NotifierId) -> SigningSecret {
        self.options.signing.secret(org, notifier)
    }

    /// Says that there is something in the outbox, so that it is not left waiting for the next look.
    pub fn wake(&self) {
        self.wake.notify_one();
    }

    /// Sends until it is told to stop, and then waits for what is under way. Each message has a task of its own: one
    /// that was not polled while the outbox is read could keep the connection that the reading waits for.
    pub async fn run(self: Arc<Self>, stop: &CancellationToken) {
        let mut under_way = JoinSet::new();
        while !stop.is_cancelled() {
            let free = self.options.in_flight_max.saturating_sub(under_way.len());
            let claimed = if free == 0 { Ok(Vec::new()) } else { self.claim(free).await };
            match claimed {
                Ok(claimed) => {
                    for claimed in claimed {
                        let worker = Arc::clone(&self);
                        under_way.spawn(async move { worker.deliver(claimed).await });
                    }
                }
                Err(error) => {
                    tracing::warn!(error = %error, cause = ?error, "the outbox cannot be read; it is tried again");
                }
            }
            tokio::select! {
                Some(_) = under_way.join_next() => {}
                () = self.wake.notified() => {}
                () = tokio::time::sleep(LOOK_EVERY) => {}
                () = stop.cancelled() => {}
            }
        }
        while under_way.join_next().await.is_some() {}
    }

    /// Claims what is due once and sends it. Gives how many that were.
    pub async fn step(&self) -> Result<usize, Error> {
        let claimed = self.claim(self.options.in_flight_max).await?;
        let count = claimed.len();
        let mut under_way: FuturesUnordered<_> =
            claimed.into_iter().map(|claimed| self.deliver(claimed)).collect();
        while under_way.next().await.is_some() {}
        Ok(count)
    }

    async fn claim(&self, limit: usize) -> Result<Vec<Claimed>, Error> {
        let now = self.clock.now();
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.catalog.claim_deliveries(&self.owner, now, now.plus(self.options.lease), limit).await
    }

    /// Sends one claimed message and records how it went.
    async fn deliver(&self, claimed: Claimed) {
        if let Err(error) = self.try_deliver(&claimed).await {
            // Its lease ends, and it is claimed again.
            tracing::warn!(delivery = %claimed.id, error = %error, cause = ?error, "a message could not be worked on");
        }
    }

    async fn try_deliver(&self, claimed: &Claimed) -> Result<(), Error> {
        let found = self.catalog.find_notifier_for(&claimed.org, &claimed.notifier, &claimed.id).await?;
        let Some(notifier) = found else {
            return Ok(());
        };
        let outbound = self.write(&claimed.org, &notifier, claimed.message.as_ref(), &claimed.id);
        let tried = match outbound {
            Err(unwritable) => self.untried(Outcome::unwritable(&unwritable)),
            Ok(outbound) => {
                if let Some(until) = self.mails.full_until(&claimed.org, &outbound, self.clock.now()) {
                    return self.catalog.postpone_delivery(&self.owner, &claimed.id, until).await;
                }
                let target = target_of(&outbound);
                match self.breaker.admit(&target, self.clock.now()) {
                    Admission::Go => self.attempt(&claimed.org, &outbound, &target).await,
                    Admission::Busy => {
                        let until = self.clock.now().plus(BUSY_WAIT);
                        return self.catalog.postpone_delivery(&self.owner, &claimed.id, until).await;
                    }
                    Admission::Resting { until } => {
                        return self.catalog.postpone_delivery(&self.owner, &claimed.id, until).await;
                    }
                }
            }
        };
        let verdict = self.verdict(&tried.outcome, claimed);
        self.record(&claimed.id, &tried.attempt, verdict).await
    }

    /// Sends a message now and once, whatever waits in the outbox, and keeps the attempt like any other. None if the
    /// notifier is gone.
    pub async fn send_now(
        &self,
        org: &OrgId,
        notifier: &Notifier,
        message: Message,
    ) -> Result<Option<(DeliveryId, Tried)>, Error> {
        let now = self.clock.now();
        let id = DeliveryId::generate(now, &*self.rng);
        let delivery = NewDelivery {
            id: id.clone(),
            org: org.clone(),
            notifier: notifier.id.clone(),
            message,
            due: now,
        };
        let lease_until = now.plus(self.options.lease);
        if !self.catalog.enqueue_leased(&delivery, &self.owner, lease_until).await? {
            return Ok(None);
        }
        let tried = match self.write(org, notifier, Some(&delivery.message), &id) {
            Err(unwritable) => self.untried(Outcome::unwritable(&unwritable)),
            Ok(outbound) if self.mails.full_until(org, &outbound, now).is_some() => {
                self.untried(too_many_mails())
            }
            Ok(outbound) => self.measured(org, &outbound).await,
        };
        let verdict = match tried.outcome {
            Outcome::Sent { .. } => Verdict::Sent,
            Outcome::TryAgain { .. } | Outcome::GiveUp { .. } => Verdict::Dead,
        };
        self.record(&id, &tried.attempt, verdict).await?;
        Ok(Some((id, tried)))
    }

    fn write(
        &self,
        org: &OrgId,
        notifier: &Notifier,
        message: Option<&Message>,
        id: &DeliveryId,
    ) -> Result<Outbound, Unwritable> {
        let message = message.ok_or_else(|| Unwritable("the stored message cannot be read".to_owned()))?;
        let configured = Configured::read(&notifier.properties)
            .ok_or_else(|| Unwritable("the notifier has no channel that is known".to_owned()))?;
        let secret = self.secret(org, &notifier.id);
        let context = Context { id, now: self.clock.now(), bases: &self.options.bases, secret: &secret };
        configured.write(message, &context)
    }

    async fn attempt(&self, org: &OrgId, outbound: &Outbound, target: &str) -> Tried {
        let tried = self.measured(org, outbound).await;
        self.breaker.report(target, tried.outcome.is_well(), self.clock.now());
        tried
    }

    async fn measured(&self, org: &OrgId, outbound: &Outbound) -> Tried {
        let began = self.clock.now();
        self.mails.count(org, outbound, began);
        let outcome = send(outbound, &self.options.webhook_client, self.options.mailer.as_ref(), began).await;
        self.tried(began, outcome)
    }

    fn untried(&self, outcome: Outcome) -> Tried {
        self.tried(self.clock.now(), outcome)
    }

    fn tried(&self, began: Timestamp, outcome: Outcome) -> Tried {
        let micros = self.clock.now().as_micros().saturating_sub(began.as_micros());
        let latency = Duration::from_micros(u64::try_from(micros).unwrap_or(0));
        let (status, error) = match &outcome {
            Outcome::Sent { status } => (*status, None),
            Outcome::TryAgain { status, error, .. } | Outcome::GiveUp { status, error } => {
                (*status, Some(error.clone()))
            }
        };
        Tried { attempt: Attempt { at: began, latency, status, error }, outcome }
    }

    fn verdict(&self, outcome: &Outcome, claimed: &Claimed) -> Verdict {
        let retry_after = match outcome {
            Outcome::Sent { .. } => return Verdict::Sent,
            Outcome::GiveUp { .. } => return Verdict::Dead,
            Outcome::TryAgain { retry_after, .. } => *retry_after,
        };
        let failed = Failed {
            failures: claimed.failures.saturating_add(1),
            began: claimed.began,
            now: self.clock.now(),
            retry_after,
        };
        match self.options.retry_policy.next(failed, &*self.rng) {
            Some(at) => Verdict::TryAgain { at },
            None => Verdict::Dead,
        }
    }

    async fn record(&self, id: &DeliveryId, attempt: &Attempt, verdict: Verdict) -> Result<(), Error> {
        let mut tries = 1;
        let kept = loop {
            match self.catalog.record_attempt(&self.owner, id, attempt, verdict).await {
                Err(_) if tries < RECORD_TRIES => tries += 1,
                result => break result?,
            }
        };
        if !kept {
            tracing::warn!(delivery = %id, "the lease of a message ended before its attempt did");
        }
        let count = |count: &AtomicU64| count.fetch_add(1, Ordering::Relaxed);
        match verdict {
            Verdict::Sent => count(&self.counts.sent),
            Verdict::TryAgain { .. } => count(&self.counts.failed),
            Verdict::Dead => {
                count(&self.counts.failed);
                let reason = attempt.error.as_deref().unwrap_or_default();
                tracing::warn!(delivery = %id, reason, "a message was given up");
                count(&self.counts.dead)
            }
        };
        Ok(())
    }
}

fn too_many_mails() -> Outcome {
    let error =
        "the organisation has had as many mails sent as it may in an hour: try again later".to_owned();
    Outcome::GiveUp { status: None, error }
}
