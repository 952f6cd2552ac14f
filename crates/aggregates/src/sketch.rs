//! A histogram of numbers with buckets of equal relative width, which answers ranks within 0.4 % of the value and
//! merges without loss. The bucket of a number is read from its bits: the exponent and the first seven bits of the
//! mantissa. Buckets lie on pages of a power of two and a sign each; pages that hold nothing take no memory. Numbers
//! on more than 128 pages have pairs of buckets joined, which doubles the error. The result depends on the numbers
//! alone, not on the order or the parts in which they came.

use std::mem::size_of;

use datafusion_common::Result;

use super::sketched::{Bucket, Sketched};
use super::state::{StateReader, damaged, write_float, write_number};

const PAGE_BITS: u32 = 7;
const PAGE_BUCKETS: usize = 1 << PAGE_BITS;
const PAGES_MAX: usize = 128;
/// What is cut off the bits of a number to get its bucket, as long as no buckets were joined.
const SHIFT: u32 = 52 - PAGE_BITS;
/// How often pairs can be joined before one page holds all numbers.
const JOINS_MAX: u32 = 12;
const SIGN: u64 = 1 << 63;

/// Counts of finite numbers.
#[derive(Debug)]
pub(super) struct Sketch {
    pages: Pages,
    /// How often pairs of buckets were joined.
    joins: u32,
    min: f64,
    max: f64,
}

impl Sketch {
    fn bucket_of(&self, value: f64) -> u32 {
        (rank(value) >> (SHIFT + self.joins)) as u32
    }

    fn join_if_needed(&mut self) {
        while self.pages.count() > PAGES_MAX {
            self.join();
        }
    }

    fn join(&mut self) {
        self.joins += 1;
        let mut joined = Pages::default();
        self.pages.for_each(|bucket, count| joined.add(bucket >> 1, count));
        self.pages = joined;
    }

    fn bucket(&self, bucket: u32, count: u64) -> Bucket {
        let shift = SHIFT + self.joins;
        let first = u64::from(bucket) << shift;
        let value = |rank: u64| number(rank).clamp(self.min, self.max);
        let (low, high) = (value(first), value(first | ((1 << shift) - 1)));
        let middle = value(first | 1 << (shift - 1));
        // The two buckets at zero are those of zero; what else lies in them is too small to have its full precision.
        let middle = if middle.is_subnormal() { 0.0_f64.clamp(self.min, self.max) } else { middle };
        Bucket { low, middle, high, count }
    }
}

impl Sketched for Sketch {
    fn new() -> Self {
        Self { pages: Pages::default(), joins: 0, min: f64::INFINITY, max: f64::NEG_INFINITY }
    }

    fn bounds(&self) -> (f64, f64) {
        (self.min, self.max)
    }

    /// A number that is not finite never lies within bounds.
    #[inline]
    fn add_within(&mut self, value: f64) -> bool {
        if !(self.min..=self.max).contains(&value) {
            return false;
        }
        let bucket = self.bucket_of(value);
        self.pages.add_one(bucket)
    }

    fn add(&mut self, value: f64) {
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        let bucket = self.bucket_of(value);
        self.pages.add(bucket, 1);
        self.join_if_needed();
    }

    fn heap_bytes(&self) -> usize {
        self.pages.heap_bytes()
    }

    fn buckets(&self) -> Vec<Bucket> {
        let mut buckets = Vec::new();
        self.pages.for_each(|bucket, count| buckets.push(self.bucket(bucket, count)));
        buckets
    }

    fn write(&self, state: &mut Vec<u8>) {
        state.push(self.joins as u8);
        write_float(state, self.min);
        write_float(state, self.max);
        let mut last = 0;
        self.pages.for_each(|bucket, count| {
            write_number(state, u64::from(bucket - last));
            write_number(state, count);
            last = bucket;
        });
    }

    fn merge(&mut self, state: &mut StateReader<'_>) -> Result<()> {
        let joins = u32::from(state.byte()?);
        if joins > JOINS_MAX {
            return Err(damaged());
        }
        while self.joins < joins {
            self.join();
        }
        let coarser = self.joins - joins;
        self.min = self.min.min(state.float()?);
        self.max = self.max.max(state.float()?);
        let mut bucket: u32 = 0;
        while !state.is_at_end() {
            let step = u32::try_from(state.number()?).map_err(|_| damaged())?;
            bucket = bucket.checked_add(step).ok_or_else(damaged)?;
            if bucket >> (64 - SHIFT) != 0 {
                return Err(damaged());
            }
            self.pages.add(bucket >> coarser, state.number()?);
        }
        self.join_if_needed();
        Ok(())
    }
}

/// The bits of a number as a number without sign that is in the same order.
#[inline]
fn rank(value: f64) -> u64 {
    let bits = value.to_bits();
    let is_negative = ((bits as i64) >> 63) as u64;
    bits ^ (is_negative | SIGN)
}

/// The number of a rank, but no greater or less than finite numbers are.
fn number(rank: u64) -> f64 {
    let bits = if rank & SIGN == 0 { !rank } else { rank ^ SIGN };
    let magnitude = f64::from_bits((bits & !SIGN).min(f64::MAX.to_bits()));
    if bits & SIGN == 0 { magnitude } else { -magnitude }
}

/// Counts by the number of a bucket, in pages.
#[derive(Debug, Default)]
struct Pages {
    /// The number of the first page that `places` tells of.
    first: u32,
    /// Where each page lies in `counts`, counted in pages from 1; 0 for pages that hold nothing.
    places: Vec<u16>,
    /// Counts by page and bucket. Their half size is enough for nearly all.
    counts: Vec<u32>,
    /// Where a count went over, and how often.
    carries: Vec<(u32, u64)>,
}

impl Pages {
    #[inline]
    fn add_one(&mut self, bucket: u32) -> bool {
        let page = (bucket >> PAGE_BITS).wrapping_sub(self.first) as usize;
        let Some(place) = self.places.get(page).filter(|place| **place != 0) else { return false };
        let at = ((*place as usize - 1) << PAGE_BITS) | (bucket as usize & (PAGE_BUCKETS - 1));
        let Some(count) = self.counts.get_mut(at) else { return false };
        *count = count.wrapping_add(1);
        if *count == 0 {
            self.carry(at, 1);
        }
        true
    }

    fn add(&mut self, bucket: u32, added: u64) {
        let place = self.place(bucket >> PAGE_BITS);
        let at = ((place as usize - 1) << PAGE_BITS) | (bucket as usize & (PAGE_BUCKETS - 1));
        // The low half first: no sum of two counts can then go over.
        let low = u64::from(self.counts[at]) + (added & u64::from(u32::MAX));
        self.counts[at] = low as u32;
        let carried = (low >> 32) + (added >> 32);
        if carried > 0 {
            self.carry(at, carried);
        }
    }

    #[cold]
    fn carry(&mut self, at: usize, times: u64) {
        match self.carries.iter_mut().find(|(place, _)| *place as usize == at) {
            Some((_, carried)) => *carried = carried.saturating_add(times),
            None => self.carries.push((at as u32, times)),
        }
    }

    /// Where a page lies, and makes it if it is new.
    fn place(&mut self, page: u32) -> u16 {
        if self.places.is_empty() {
            self.first = page;
        }
        if page < self.first {
            let missing = (self.first - page) as usize;
            self.places.splice(0..0, std::iter::repeat_n(0, missing));
            self.first = page;
        }
        let index = (page - self.first) as usize;
        if index >= self.places.len() {
            self.places.resize(index + 1, 0);
        }
        if self.places[index] == 0 {
            self.counts.reserve_exact(PAGE_BUCKETS);
            self.counts.resize(self.counts.len() + PAGE_BUCKETS, 0);
            self.places[index] = (self.counts.len() >> PAGE_BITS) as u16;
        }
        self.places[index]
    }

    fn count(&self) -> usize {
        self.counts.len() >> PAGE_BITS
    }

    /// The buckets that hold something, by number.
    fn for_each(&self, mut visit: impl FnMut(u32, u64)) {
        for (page, place) in self.places.iter().enumerate().filter(|(_, place)| **place != 0) {
            let start = (*place as usize - 1) << PAGE_BITS;
            for (index, count) in self.counts[start..start + PAGE_BUCKETS].iter().enumerate() {
                let carried = self.carries.iter().find(|(at, _)| *at as usize == start + index);
                let count = u64::from(*count).saturating_add(carried.map_or(0, |(_, times)| times << 32));
                if count > 0 {
                    visit(((self.first + page as u32) << PAGE_BITS) | index as u32, count);
                }
            }
        }
    }

    fn heap_bytes(&self) -> usize {
        self.places.capacity() * size_of::<u16>()
            + self.counts.capacity() * size_of::<u32>()
            + self.carries.capacity() * size_of::<(u32, u64)>()
    }
}
