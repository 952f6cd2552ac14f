//! Access tokens of OAuth 2.0 over HTTP, from issuers in the test's process that do what a case asks of them.

mod answers;
mod binding;
mod fake_issuer;
mod introspection;
mod issuers;
mod people;
pub(crate) mod world;

use std::pin::Pin;

use crate::database::Backend;

pub(crate) type Case = fn(Backend) -> Pin<Box<dyn Future<Output = ()>>>;

/// Every case with its name.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, Case)> {
    [answers::ALL, binding::ALL, introspection::ALL, issuers::ALL, people::ALL].into_iter().flatten().copied()
}
