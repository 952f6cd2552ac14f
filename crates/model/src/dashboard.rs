//! Dashboards: the kinds of chart there are, and the uid by which a caller names a dashboard in its organisation. What a
//! document must look like is checked by who reads it.

use std::fmt;

use crate::id::time_ordered;
use crate::rng::Rng;
use crate::string_enum::string_enum;
use crate::time::Timestamp;

/// The owner of a dashboard that is for the whole organisation, as clients of the public service write it.
pub const EVERYONE: &str = "X-AXIOM-EVERYONE";

/// Longest uid, in bytes.
pub const UID_BYTES_MAX: usize = 128;

string_enum! (
    /// What a chart of a dashboard is.
    ChartKind {
        TimeSeries = "TimeSeries",
        Heatmap = "Heatmap",
        LogStream = "LogStream",
        Pie = "Pie",
        Scatter = "Scatter",
        Table = "Table",
        TopK = "TopK",
        Statistic = "Statistic",
        SectionHeader = "SectionHeader",
        Note = "Note",
        MonitorList = "MonitorList",
        SmartFilter = "SmartFilter",
        Spacer = "Spacer",
        Placeholder = "Placeholder",
    }
);

impl ChartKind {
    /// Whether there is nothing to draw without a query.
    pub fn needs_query(self) -> bool {
        match self {
            Self::TimeSeries
            | Self::Heatmap
            | Self::LogStream
            | Self::Pie
            | Self::Scatter
            | Self::Table
            | Self::TopK
            | Self::Statistic => true,
            Self::SectionHeader
            | Self::Note
            | Self::MonitorList
            | Self::SmartFilter
            | Self::Spacer
            | Self::Placeholder => false,
        }
    }
}

/// The name of a dashboard in its organisation, which its maker may choose: letters, digits, `_` and `-`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DashboardUid(String);

impl DashboardUid {
    /// A uid for who chose none. Clients take a UUID for a uid without looking it up.
    pub fn generate(now: Timestamp, rng: &dyn Rng) -> Self {
        Self(time_ordered(now, rng).hyphenated().to_string())
    }

    pub fn parse(text: &str) -> Option<Self> {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        let fits = (1..=UID_BYTES_MAX).contains(&text.len()) && text.bytes().all(is_allowed);
        fits.then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

/// For uids that come from the catalogue.
impl From<String> for DashboardUid {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for DashboardUid {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for DashboardUid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::SeededRng;

    #[test]
    fn every_kind_of_chart_has_a_name_of_its_own() {
        assert_eq!(ChartKind::ALL.len(), 14);
        for &kind in ChartKind::ALL {
            assert_eq!(ChartKind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(ChartKind::from_name("timeseries"), None);
        assert_eq!(ChartKind::ALL.iter().filter(|kind| kind.needs_query()).count(), 8);
    }

    #[test]
    fn a_uid_is_made_of_letters_digits_and_two_signs() {
        let longest = "u".repeat(UID_BYTES_MAX);
        for uid in ["a", "-", "Checkout_2-b", longest.as_str()] {
            assert_eq!(DashboardUid::parse(uid).map(DashboardUid::into_string).as_deref(), Some(uid));
        }
        let too_long = "u".repeat(UID_BYTES_MAX + 1);
        for text in ["", "a b", "a/b", "ä", "a.b", "a\0", too_long.as_str()] {
            assert_eq!(DashboardUid::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_generated_uid_is_a_uuid() {
        let uid = DashboardUid::generate(Timestamp::from_micros(1_000_000), &SeededRng::new(1));
        assert_eq!(uid.as_str().split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
        assert_eq!(DashboardUid::parse(uid.as_str()), Some(uid));
    }
}
