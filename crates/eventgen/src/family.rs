//! The families of made-up events. Measurements look at both, so that nothing is made fast for one generator alone.

use super::event::Events;
use super::firehose::Firehose;
use super::lines::Lines;
use super::pace::Pace;
use super::shape::Shape;

/// What the events tell of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Family {
    /// Requests that the services of a shop have answered.
    #[default]
    Web,
    /// Posts, likes and follows of a social network, deeply nested, of which most fields are optional.
    Firehose,
}

impl Family {
    /// The events of a seed. Only those of the web have more than one shape.
    pub fn events(self, seed: u64, shape: Shape, pace: Pace) -> Box<dyn Lines> {
        match self {
            Self::Web => Box::new(Events::new(seed, shape, pace)),
            Self::Firehose => Box::new(Firehose::new(seed, pace)),
        }
    }
}
