//! Organisations: payment status and the transitions between its states. Limits are in `licence`, and what can be
//! subscribed to in `plan`.

use std::time::Duration;

use crate::id::OrgId;
use crate::licence::Licence;
use crate::plan::Plan;
use crate::string_enum::string_enum;
use crate::time::Timestamp;

/// How long a failed payment may stay unsettled before the organisation is blocked.
pub const GRACE_AFTER_FAILED_PAYMENT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

string_enum! (
    /// How the organisation stands with its payments.
    PaymentStatus {
        NotApplicable = "na",
        Failed = "failed",
        Success = "success",
        Blocked = "blocked",
    }
);

/// The payment status cannot go from one state to the other.
#[derive(Debug, thiserror::Error)]
#[error("payment status cannot go from {} to {}; from there it can go to [{}]", from.name(), to.name(), allowed(*from))]
pub struct NoTransition {
    from: PaymentStatus,
    to: PaymentStatus,
}

fn allowed(from: PaymentStatus) -> String {
    let next: Vec<&str> = from.next().iter().map(|status| status.name()).collect();
    next.join(" ")
}

impl PaymentStatus {
    /// The states that may follow this one.
    pub fn next(self) -> &'static [Self] {
        match self {
            Self::NotApplicable | Self::Blocked => &[Self::Success],
            Self::Success => &[Self::Failed],
            Self::Failed => &[Self::Success, Self::Blocked],
        }
    }
}

/// The payment status as last set, and since when payments fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payment {
    pub set: PaymentStatus,
    pub first_failed: Option<Timestamp>,
}

impl Payment {
    /// The status that holds at a time. Time alone turns `failed` into `blocked`, so it is derived and every node
    /// agrees on it without a job that writes it.
    pub fn status_at(&self, now: Timestamp) -> PaymentStatus {
        match (self.set, self.first_failed) {
            (PaymentStatus::Failed, Some(first)) if now >= first.plus(GRACE_AFTER_FAILED_PAYMENT) => {
                PaymentStatus::Blocked
            }
            (status, _) => status,
        }
    }

    /// Moves to another status, if that transition exists.
    pub fn move_to(&mut self, to: PaymentStatus, now: Timestamp) -> Result<(), NoTransition> {
        let from = self.status_at(now);
        if !from.next().contains(&to) {
            return Err(NoTransition { from, to });
        }
        self.set = to;
        match to {
            PaymentStatus::Failed => self.first_failed = Some(now),
            PaymentStatus::Success => self.first_failed = None,
            PaymentStatus::Blocked | PaymentStatus::NotApplicable => {}
        }
        Ok(())
    }
}

/// An organisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Org {
    pub id: OrgId,
    pub name: String,
    pub primary_email: String,
    pub plan: Plan,
    pub plan_created: Timestamp,
    pub payment: Payment,
    pub last_usage_sync: Timestamp,
    pub default_region: String,
    pub licence: Licence,
    pub created: Timestamp,
    pub modified: Timestamp,
    /// Counts the changes of this record.
    pub version: i64,
}

impl Org {
    /// A new organisation on a self-hosted installation: everything included, nothing to pay.
    pub fn self_hosted(id: OrgId, name: String, primary_email: String, now: Timestamp) -> Self {
        Self {
            licence: Licence::self_hosted(&id, &name, now),
            id,
            name,
            primary_email,
            plan: Plan::Comped,
            plan_created: now,
            payment: Payment { set: PaymentStatus::NotApplicable, first_failed: None },
            last_usage_sync: now,
            default_region: crate::licence::LOCAL_REGION.to_owned(),
            created: now,
            modified: now,
            version: 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PaymentStatus::{Blocked, Failed, NotApplicable, Success};

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    const START: i64 = 1_000_000;

    fn payment(set: PaymentStatus) -> Payment {
        Payment { set, first_failed: None }
    }

    #[test]
    fn only_the_five_transitions_exist() {
        let allowed = [
            (NotApplicable, Success),
            (Success, Failed),
            (Failed, Success),
            (Failed, Blocked),
            (Blocked, Success),
        ];
        for &from in PaymentStatus::ALL {
            for &to in PaymentStatus::ALL {
                let moved = payment(from).move_to(to, Timestamp::from_micros(START)).is_ok();
                assert_eq!(moved, allowed.contains(&(from, to)), "{from:?} to {to:?}");
            }
        }
    }

    #[test]
    fn seven_days_after_the_first_failed_payment_the_organisation_is_blocked() {
        let failed_at = Timestamp::from_micros(START);
        let mut payment = payment(Success);
        payment.move_to(Failed, failed_at).unwrap();
        assert_eq!(payment.status_at(failed_at.plus(6 * DAY)), Failed);
        assert_eq!(payment.status_at(failed_at.plus(7 * DAY)), Blocked);

        payment.move_to(Success, failed_at.plus(8 * DAY)).unwrap();
        assert_eq!(payment.first_failed, None);
        assert_eq!(payment.status_at(failed_at.plus(30 * DAY)), Success);
    }

    #[test]
    fn a_refused_transition_names_what_is_possible() {
        let error = payment(NotApplicable).move_to(Failed, Timestamp::from_micros(START)).unwrap_err();
        assert!(error.to_string().ends_with("it can go to [success]"), "{error}");
    }

    #[test]
    fn the_product_named_plan_is_read_as_the_neutral_one() {
        assert_eq!(Plan::from_name("axiomCloud"), Some(Plan::ProviderCloud));
        assert_eq!(Plan::ProviderCloud.name(), "providerCloud");
    }
}
