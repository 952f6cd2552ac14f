//! Which rows go into a segment together. Time is cut into fixed windows, hours inside days, and a segment stays
//! inside one of them, so that late, early or wild events never widen the time range of the normal ones.

use std::ops::Range;

pub(crate) const HOUR: i64 = 3_600_000_000_000;
pub(crate) const DAY: i64 = 24 * HOUR;

/// Fewer rows than this do not pay for a segment of their own.
const ROWS_MIN: usize = 1024;

/// A window of time that a segment lies in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum TimePartition {
    /// The hour that begins at this many hours since 1970.
    Hour(i64),
    /// The day that begins at this many days since 1970.
    Day(i64),
    /// Any time: stragglers, too few in each day to be worth a segment.
    Any,
}

impl TimePartition {
    /// The smallest window that two times lie in.
    pub(crate) fn of(min_time: i64, max_time: i64) -> Self {
        if min_time.div_euclid(HOUR) == max_time.div_euclid(HOUR) {
            return Self::Hour(min_time.div_euclid(HOUR));
        }
        if min_time.div_euclid(DAY) == max_time.div_euclid(DAY) {
            return Self::Day(min_time.div_euclid(DAY));
        }
        Self::Any
    }

    /// When it ends, in nanoseconds since 1970.
    pub(crate) fn end(self) -> i64 {
        match self {
            Self::Hour(hour) => (hour + 1).saturating_mul(HOUR),
            Self::Day(day) => (day + 1).saturating_mul(DAY),
            Self::Any => i64::MAX,
        }
    }

    /// The day that it lies in.
    pub(crate) fn day(self) -> Option<i64> {
        match self {
            Self::Hour(hour) => Some(hour.div_euclid(24)),
            Self::Day(day) => Some(day),
            Self::Any => None,
        }
    }
}

/// Cuts sorted rows into groups, each for one segment, as places in the sorted order. An hour with enough rows gets a
/// group; what is left of a day gets one if it has enough; all the rest shares one.
pub(crate) fn split(
    rows: usize,
    time_at: impl Fn(usize) -> i64,
    rows_max: usize,
    is_merged: bool,
) -> Vec<Vec<Range<usize>>> {
    let mut groups: Vec<Vec<Range<usize>>> = Vec::new();
    let mut stragglers: Vec<Range<usize>> = Vec::new();
    for day in runs(0..rows, &time_at, DAY) {
        if is_merged && day.len() <= rows_max {
            // A day that fits in one segment is not cut again.
            push_or_leave(day.clone(), &mut groups, &mut stragglers);
            continue;
        }
        let mut left = Vec::new();
        for hour in runs(day, &time_at, HOUR) {
            push_or_leave(hour, &mut groups, &mut left);
        }
        if total(&left) >= ROWS_MIN {
            groups.push(left);
        } else {
            stragglers.extend(left);
        }
    }
    if groups.len() <= 1 && total(&stragglers) > 0 && is_near(&groups, &stragglers, &time_at) {
        let mut all: Vec<Range<usize>> = groups.pop().unwrap_or_default();
        all.append(&mut stragglers);
        all.sort_by_key(|range| range.start);
        groups.push(all);
    } else if !stragglers.is_empty() {
        groups.push(stragglers);
    }
    groups.into_iter().flat_map(|group| cut(group, rows_max)).collect()
}

/// Whether all lie inside one day: then nothing is gained by keeping them apart.
fn is_near(
    groups: &[Vec<Range<usize>>],
    stragglers: &[Range<usize>],
    time_at: &impl Fn(usize) -> i64,
) -> bool {
    let days = || groups.iter().flatten().chain(stragglers).flat_map(|range| [range.start, range.end - 1]);
    let first = days().map(|place| time_at(place).div_euclid(DAY)).min();
    let last = days().map(|place| time_at(place).div_euclid(DAY)).max();
    first == last
}

fn push_or_leave(run: Range<usize>, groups: &mut Vec<Vec<Range<usize>>>, left: &mut Vec<Range<usize>>) {
    if run.len() >= ROWS_MIN {
        groups.push(vec![run]);
    } else {
        left.push(run);
    }
}

/// The runs of places whose times lie in the same step.
fn runs(places: Range<usize>, time_at: &impl Fn(usize) -> i64, step: i64) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut start = places.start;
    while start < places.end {
        let window = time_at(start).div_euclid(step);
        // Sorted, so the end of the run is found by halving.
        let (mut low, mut high) = (start + 1, places.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if time_at(middle).div_euclid(step) == window { low = middle + 1 } else { high = middle }
        }
        runs.push(start..low);
        start = low;
    }
    runs
}

fn total(ranges: &[Range<usize>]) -> usize {
    ranges.iter().map(Range::len).sum()
}

/// Cuts a group that has more rows than a segment may have into equal pieces.
fn cut(group: Vec<Range<usize>>, rows_max: usize) -> Vec<Vec<Range<usize>>> {
    let pieces = total(&group).div_ceil(rows_max).max(1);
    let rows_each = total(&group).div_ceil(pieces);
    let mut cut = vec![Vec::new()];
    let mut room = rows_each;
    for mut range in group {
        while range.len() > room {
            let head = range.start..range.start + room;
            range.start = head.end;
            if let Some(piece) = cut.last_mut() {
                piece.push(head);
            }
            cut.push(Vec::new());
            room = rows_each;
        }
        room -= range.len();
        if let Some(piece) = cut.last_mut() {
            piece.push(range);
        }
    }
    cut.retain(|piece| total(piece) > 0);
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(times: &[i64], rows_max: usize) -> Vec<Vec<Range<usize>>> {
        split(times.len(), |place| times[place], rows_max, false)
    }

    fn seconds(from: i64, count: usize) -> Vec<i64> {
        (0..count as i64).map(|second| (from + second) * 1_000_000_000).collect()
    }

    #[test]
    fn normal_rows_keep_their_hour_and_wild_ones_share_a_segment() {
        let mut times = seconds(-3_000_000, 5);
        times.extend(seconds(100 * 86_400, 3600));
        times.extend(seconds(100 * 86_400 + 3600, 2000));
        times.extend(seconds(9_000 * 86_400, 3));
        let groups = groups(&times, 1_000_000);
        let one = |range: Range<usize>| vec![range; 1];
        assert_eq!(groups, [one(5..3605), one(3605..5605), vec![0..5, 5605..5608]]);
    }

    #[test]
    fn few_rows_of_one_day_stay_together() {
        let mut times = seconds(0, 2000);
        times.extend(seconds(7200, 10));
        assert_eq!(groups(&times, 1_000_000), [vec![0..2000, 2000..2010]]);
    }

    #[test]
    fn every_row_is_in_exactly_one_group_and_none_is_too_large() {
        let times: Vec<i64> = (0..5000).map(|row| row * HOUR / 100).collect();
        let groups = groups(&times, 700);
        let mut seen: Vec<usize> = groups.iter().flatten().cloned().flatten().collect();
        assert!(groups.iter().all(|group| total(group) <= 700));
        seen.sort_unstable();
        assert_eq!(seen, (0..5000).collect::<Vec<_>>());
    }

    #[test]
    fn windows_are_the_smallest_that_hold_both_ends() {
        assert_eq!(TimePartition::of(0, HOUR - 1), TimePartition::Hour(0));
        assert_eq!(TimePartition::of(-1, 0), TimePartition::Any);
        assert_eq!(TimePartition::of(HOUR, DAY - 1), TimePartition::Day(0));
        assert_eq!(TimePartition::Hour(-1).day(), Some(-1));
    }
}
