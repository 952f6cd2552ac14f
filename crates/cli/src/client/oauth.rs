//! Signing in from the command line: finds the authorisation server of a Tidegauge (`discovery`) and what to ask it for
//! (`login`), gets tokens by the browser (`browser`, `loopback`) or for a device without one (`device`), keeps them fresh (`tokens`, `signed_in`) in a
//! file of the user (`store`). What is asked of a server with them is left to the rest of the client.

pub mod browser;
pub mod device;
pub mod discovery;
pub mod http;
pub mod login;
pub mod loopback;
pub mod metadata;
pub mod signed_in;
pub mod store;
pub mod tokens;

#[cfg(test)]
mod tests;

/// The name by which every Tidegauge knows its command line.
pub const CLIENT_ID: &str = "tidegauge-cli";
