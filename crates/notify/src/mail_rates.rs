//! How many mails an organisation may have sent: whoever makes a notifier can name any address, and mails are in the
//! operator's name. Known to this process only; it begins anew with a start.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tidegauge_model::{OrgId, Timestamp};

use crate::channels::Outbound;

const HOUR: Duration = Duration::from_secs(3_600);

/// What organisations have had sent in their last hour.
#[derive(Debug)]
pub(crate) struct MailRates {
    an_hour_max: u32,
    orgs: Mutex<HashMap<OrgId, Hour>>,
}

#[derive(Debug)]
struct Hour {
    began: Timestamp,
    mails: u32,
}

impl MailRates {
    pub(crate) fn new(an_hour_max: u32) -> Self {
        Self { an_hour_max, orgs: Mutex::default() }
    }

    /// Until when an organisation may have no mail sent, if it has had enough.
    pub(crate) fn full_until(&self, org: &OrgId, outbound: &Outbound, now: Timestamp) -> Option<Timestamp> {
        let Outbound::Mail(_) = outbound else { return None };
        let orgs = self.orgs();
        let hour = orgs.get(org)?;
        let end = hour.began.plus(HOUR);
        (hour.mails >= self.an_hour_max && now < end).then_some(end)
    }

    /// Counts what is sent now. A mail to several addresses is as many.
    pub(crate) fn count(&self, org: &OrgId, outbound: &Outbound, now: Timestamp) {
        let Outbound::Mail(mail) = outbound else { return };
        let mut orgs = self.orgs();
        orgs.retain(|_, hour| now < hour.began.plus(HOUR));
        let hour = orgs.entry(org.clone()).or_insert(Hour { began: now, mails: 0 });
        hour.mails = hour.mails.saturating_add(u32::try_from(mail.to.len()).unwrap_or(u32::MAX));
    }

    /// Whole after a panic elsewhere: every change is one step.
    fn orgs(&self) -> MutexGuard<'_, HashMap<OrgId, Hour>> {
        self.orgs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
