//! The outbox to the world: each channel writes a message in the form that its receiver documents, and what is claimed
//! from the outbox is sent, tried again, or given up. What is worth telling is left to others.

pub mod backoff;
pub mod breaker;
pub mod channels;
pub mod mail;
mod mail_rates;
pub mod properties;
pub mod send;
pub mod signature;
pub mod template;
mod text;
pub mod worker;
