//! A histogram of numbers with buckets of equal relative width, which answers ranks within 0.4 % of the value and
//! merges without loss. The bucket of a number is read from its bits: the exponent and the first seven bits of the
//! mantissa. Buckets lie on pages of a power of two each; pages that hold nothing take no memory. Numbers on more
//! than 128 pages, the signs counted apart, have pairs of buckets joined, which doubles the error. The result depends
//! on the numbers alone, not on the order or the parts in which they came.

use std::mem::size_of;

use datafusion_common::Result;

use super::state::{StateReader, damaged, write_float, write_number};

const PAGE_BITS: u32 = 7;
const PAGE_BUCKETS: usize = 1 << PAGE_BITS;
const PAGES_MAX: usize = 128;
/// What is cut off the bits of a number to get its bucket, as long as no buckets were joined.
const SHIFT: u32 = 52 - PAGE_BITS;
const SIGN: u64 = 1 << 63;

/// Counts of finite numbers.
#[derive(Debug)]
pub(super) struct Sketch {
    negative: Pages,
    positive: Pages,
    /// How often pairs of buckets were joined.
    joins: u32,
    min: f64,
    max: f64,
}

/// So many numbers lie between these bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bucket {
    pub(super) low: f64,
    /// The number that stands for all.
    pub(super) middle: f64,
    pub(super) high: f64,
    pub(super) count: u64,
}

impl Sketch {
    pub(super) fn new() -> Self {
        Self {
            negative: Pages::default(),
            positive: Pages::default(),
            joins: 0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
        }
    }

    pub(super) fn bounds(&self) -> (f64, f64) {
        (self.min, self.max)
    }

    /// Counts a number if its page is there already, and tells whether it was.
    #[inline]
    pub(super) fn add_to_page(&mut self, value: f64) -> bool {
        let bits = value.to_bits();
        let bucket = ((bits & !SIGN) >> (SHIFT + self.joins)) as u32;
        let pages = if bits & SIGN == 0 { &mut self.positive } else { &mut self.negative };
        let is_counted = pages.add_one(bucket);
        self.min = if value < self.min { value } else { self.min };
        self.max = if value > self.max { value } else { self.max };
        is_counted
    }

    /// Counts a number.
    pub(super) fn add(&mut self, value: f64) {
        if self.add_to_page(value) {
            return;
        }
        let bits = value.to_bits();
        let bucket = ((bits & !SIGN) >> (SHIFT + self.joins)) as u32;
        let pages = if bits & SIGN == 0 { &mut self.positive } else { &mut self.negative };
        pages.add(bucket, 1);
        self.join_if_needed();
    }

    fn join_if_needed(&mut self) {
        while self.negative.count() + self.positive.count() > PAGES_MAX {
            self.join();
        }
    }

    fn join(&mut self) {
        self.joins += 1;
        for pages in [&mut self.negative, &mut self.positive] {
            let mut joined = Pages::default();
            pages.for_each(|bucket, count| joined.add(bucket >> 1, count));
            *pages = joined;
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.negative.heap_bytes() + self.positive.heap_bytes()
    }

    /// The buckets that hold something, by value.
    pub(super) fn buckets(&self) -> Vec<Bucket> {
        let mut buckets = Vec::new();
        self.negative.for_each(|bucket, count| {
            let Bucket { low, middle, high, .. } = self.bucket(bucket, count);
            // Taken from zero, since the negation of zero would print as such.
            buckets.push(Bucket { low: 0.0 - high, middle: 0.0 - middle, high: 0.0 - low, count });
        });
        buckets.reverse();
        self.positive.for_each(|bucket, count| buckets.push(self.bucket(bucket, count)));
        for bucket in &mut buckets {
            bucket.low = bucket.low.clamp(self.min, self.max);
            bucket.middle = bucket.middle.clamp(self.min, self.max);
            bucket.high = bucket.high.clamp(self.min, self.max);
        }
        buckets
    }

    fn bucket(&self, bucket: u32, count: u64) -> Bucket {
        let shift = SHIFT + self.joins;
        let low = u64::from(bucket) << shift;
        let value = |bits: u64| f64::from_bits(bits.min(f64::MAX.to_bits()));
        // The first bucket is that of zero; what else lies in it is too small to have its full precision.
        let middle = if bucket == 0 { 0.0 } else { value(low | 1 << (shift - 1)) };
        Bucket { low: value(low), middle, high: value(low + (1 << shift)), count }
    }

    pub(super) fn write(&self, state: &mut Vec<u8>) {
        state.push(self.joins as u8);
        write_float(state, self.min);
        write_float(state, self.max);
        for pages in [&self.negative, &self.positive] {
            let mut length = 0;
            pages.for_each(|_, _| length += 1);
            write_number(state, length);
            let mut last = 0;
            pages.for_each(|bucket, count| {
                write_number(state, u64::from(bucket - last));
                write_number(state, count);
                last = bucket;
            });
        }
    }

    /// Takes in what another sketch wrote.
    pub(super) fn merge(&mut self, state: &mut StateReader<'_>) -> Result<()> {
        let joins = u32::from(state.byte()?);
        if joins > 16 {
            return Err(damaged());
        }
        while self.joins < joins {
            self.join();
        }
        let coarser = self.joins - joins;
        self.min = self.min.min(state.float()?);
        self.max = self.max.max(state.float()?);
        for pages in [&mut self.negative, &mut self.positive] {
            let mut bucket: u32 = 0;
            for _ in 0..state.number()? {
                let step = u32::try_from(state.number()?).map_err(|_| damaged())?;
                bucket = bucket.checked_add(step).ok_or_else(damaged)?;
                if bucket >> (63 - SHIFT) != 0 {
                    return Err(damaged());
                }
                pages.add(bucket >> coarser, state.number()?);
            }
        }
        self.join_if_needed();
        Ok(())
    }
}

/// The buckets of the numbers of one sign.
#[derive(Debug, Default)]
struct Pages {
    /// The number of the first page that `places` tells of.
    first: u32,
    /// Where each page lies in `counts`, counted in pages from 1; 0 for pages that hold nothing.
    places: Vec<u16>,
    /// Counts by page and bucket. Half of the memory of whole counts, since hardly any needs more.
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
