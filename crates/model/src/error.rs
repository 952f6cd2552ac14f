//! The kinds of error, each telling the caller what to do next, and the violation of a rule by one field of a
//! request. Which status code a kind becomes is known to the HTTP layer alone.

use std::fmt;

/// What went wrong, from the point of view of who must act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The request cannot be read at all: mend its syntax.
    Malformed,
    /// The request was read, and a value in it is not allowed: mend that value.
    Invalid,
    /// The caller did not prove who they are: send a valid access token.
    Unauthenticated,
    /// The organisation's account is blocked: settle the payment.
    PaymentRequired,
    /// The caller is known and may not do this: ask for the capability.
    Forbidden,
    /// There is no such thing, or it belongs to somebody else.
    NotFound,
    /// It collides with what exists: read the present state, then decide.
    Conflict,
    /// It was changed since the caller read it: read it again, then decide.
    Outdated,
    /// A limit of the plan is reached: remove something or raise the limit.
    LimitReached,
    /// What the plan allows in a period is used up: raise it, free some, or wait for the next period.
    QuotaUsedUp,
    /// The request is larger than allowed: send less at once.
    TooLarge,
    /// The body's media type is not understood: send another.
    UnsupportedMedia,
    /// Too many requests: wait, then try again.
    Busy,
    /// Something this service depends on is away: try again later.
    Unavailable,
    /// There is no room left to keep it: an operator must make some, then try again.
    StorageFull,
    /// The request took longer than it may: try again, or ask for less.
    TimedOut,
    /// The request needs more memory than it may have: ask for less at once.
    OutOfMemory,
    /// Stored data is damaged: an operator must look.
    Corrupt,
    /// A fault of ours: report it with the request id.
    Internal,
}

/// Which rule a field broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    Type,
    Required,
    TooLong,
    TooShort,
    Pattern,
    OneOf,
    Maximum,
    Minimum,
    Unique,
    TooManyItems,
    TooFewItems,
}

/// Which part of the request a field stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Body,
    Query,
}

/// One field of a request that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub place: Place,
    /// The path of the field, such as `properties.email.emails.0`.
    pub field: String,
    pub rule: Rule,
    /// What is wrong with it, without the field's name: "must be a string".
    pub problem: String,
}

impl Violation {
    pub fn new(field: impl Into<String>, rule: Rule, problem: impl Into<String>) -> Self {
        Self { place: Place::Body, field: field.into(), rule, problem: problem.into() }
    }

    pub fn in_query(self) -> Self {
        Self { place: Place::Query, ..self }
    }

    pub fn required(field: impl Into<String>) -> Self {
        Self::new(field, Rule::Required, "is required")
    }

    pub fn wrong_type(field: impl Into<String>, wanted: &str) -> Self {
        Self::new(field, Rule::Type, format!("must be {wanted}"))
    }

    pub fn not_a_timestamp(field: impl Into<String>) -> Self {
        Self::new(field, Rule::Pattern, "must be a timestamp such as 2030-01-31T12:00:00Z")
    }

    pub fn one_of(field: impl Into<String>, allowed: &[&str]) -> Self {
        Self::new(field, Rule::OneOf, format!("must be one of [{}]", allowed.join(" ")))
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.place {
            Place::Body => "body",
            Place::Query => "query",
        };
        write!(f, "{} in {place} {}", self.field, self.problem)
    }
}
