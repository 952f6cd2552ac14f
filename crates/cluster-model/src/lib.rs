//! Nothing here is used by the service: this crate is its tests. `tests/it` is a model of several nodes that share a
//! catalogue and an object store, and of the rules by which they do; decision 0037 says what the rules are for.
