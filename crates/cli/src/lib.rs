//! The commands that talk to a server over HTTP, one file each in `commands`, and the `client` that they share. What
//! works on the data folder itself is left to the binary.

pub mod arguments;
pub mod client;
pub mod commands;
