//! Where addresses are: what knows it, what is known, and whether the expressions of a query asked and nothing did.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Knows where addresses are. Asked from many threads, for one address after the other, while rows are computed.
pub trait Places: Send + Sync {
    /// What is known of the place of an address; none if nothing is. IPv4 addresses that are written as IPv6 come as IPv4.
    fn find(&self, address: IpAddr) -> Option<Place>;
}

impl fmt::Debug for dyn Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Places")
    }
}

/// What is known of the place of an address. Unknown names are empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place {
    pub country: String,
    /// The largest part of the country that the place is in.
    pub state: String,
    pub city: String,
    pub latitude: Option<f64>,
    pub longitude: Option<f64>,
    /// Two letters.
    pub country_iso: String,
    /// As in `Europe/Berlin`.
    pub time_zone: String,
}

/// Shared by all scopes of a query, so that what one of them lacks is told once.
#[derive(Clone, Debug, Default)]
pub struct Lookup {
    places: Option<Arc<dyn Places>>,
    is_lacking: Arc<AtomicBool>,
}

impl Lookup {
    pub fn new(places: Option<Arc<dyn Places>>) -> Self {
        Self { places, is_lacking: Arc::default() }
    }

    /// What knows where addresses are. That there is none is kept in mind.
    pub fn places(&self) -> Option<Arc<dyn Places>> {
        if self.places.is_none() {
            self.is_lacking.store(true, Ordering::Relaxed);
        }
        self.places.clone()
    }

    /// Whether an expression asked for places and there were none.
    pub fn is_lacking(&self) -> bool {
        self.is_lacking.load(Ordering::Relaxed)
    }
}
