//! Nothing here is used by the service: this crate is its tests. `tests/it` reads the repository and holds it
//! to the rules that the compiler cannot see, one module for each rule.
