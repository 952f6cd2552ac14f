//! Keeps the lease on writing, and tells when somebody else has taken it.

use std::convert::Infallible;
use std::sync::PoisonError;
use std::time::Duration;

use super::instant;
use crate::{Result, Store};

/// A lease is renewed so many times before it would end.
const RENEWALS: u32 = 6;

/// An interval must not be nothing.
const PERIOD_LEAST: Duration = Duration::from_millis(1);

impl Store {
    /// How often the lease has to be renewed.
    pub fn lease_period(&self) -> Duration {
        self.settings.lease / RENEWALS
    }

    /// Makes the lease on writing last longer.
    pub async fn renew_lease(&self) -> Result<()> {
        let asked = (instant(), self.now());
        // Seldom needed, and a part of everything that is waited for: kept small there.
        let renewed = Box::pin(self.catalog.renew_lease(self.settings.lease)).await;
        match &renewed {
            Ok(()) => {
                *self.lease.asked.lock().unwrap_or_else(PoisonError::into_inner) = asked;
                self.lease.last_failure.forget();
            }
            Err(error) => {
                self.lease.last_failure.note(error.to_string());
                if self.catalog.is_lease_lost() {
                    let cause = std::error::Error::source(error);
                    let reason = cause.map_or_else(|| error.to_string(), ToString::to_string);
                    self.lease.lost.send_replace(Some(reason));
                }
            }
        }
        Ok(renewed?)
    }

    /// Does something that may take longer than the lease lasts, and keeps the lease meanwhile.
    pub async fn keep_lease_during<T>(&self, work: impl Future<Output = T>) -> T {
        tokio::select! {
            done = work => done,
            never = self.keep_lease() => match never {},
        }
    }

    async fn keep_lease(&self) -> Infallible {
        let mut ticks = tokio::time::interval(self.lease_period().max(PERIOD_LEAST));
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            if let Err(error) = self.renew_lease().await {
                tracing::warn!(%error, cause = ?error, "the lease on the catalogue was not renewed");
            }
        }
    }

    /// Waits until somebody else has taken the lease, and tells who. Nothing can be stored from then on.
    pub async fn lease_lost(&self) -> String {
        let mut told = self.lease.lost.subscribe();
        let reason = told.wait_for(Option::is_some).await.ok().and_then(|reason| reason.clone());
        reason.unwrap_or_default()
    }

    /// That this process may acknowledge events. One that was silent for longer than a lease asks first.
    pub(crate) async fn hold_lease(&self) -> Result<()> {
        let is_held =
            || !self.catalog.is_lease_lost() && self.lease.is_certain(self.now(), self.settings.lease);
        if is_held() {
            return Ok(());
        }
        let _one = self.lease.renewing.lock().await;
        if is_held() { Ok(()) } else { self.renew_lease().await }
    }

    /// Lets others write.
    pub(crate) async fn release_lease(&self) {
        if let Err(error) = self.catalog.release_lease().await {
            tracing::warn!(%error, "the lease on the catalogue was not given back; it ends by itself");
        }
    }
}
