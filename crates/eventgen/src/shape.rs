//! How the fields of made-up events are nested.

/// Whether what belongs together is an object of its own, or fields with a dot in their names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Shape {
    Flat,
    #[default]
    Nested,
}
