//! How long the check of an access token takes when the key of its issuer is known, by algorithm. `make bench-oauth`
//! runs it.

fn main() {}
