//! What each thread has of the heap: bytes that it took less those that it gave back. Whoever computes for somebody
//! looks before and after, and knows what the work holds, also what nobody thought of counting. Where the process has
//! another allocator, as tests do, it is always nothing. What follows from it is left to the callers.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;

thread_local! {
    // Without a destructor, so that it is there for as long as its thread frees anything.
    static HELD: Cell<i64> = const { Cell::new(0) };
}

/// What the calling thread took so far, less what it gave back. Less than nothing where it frees what others took.
pub fn held() -> i64 {
    HELD.get()
}

/// Bytes that came to the calling thread from another one, which counted them.
pub fn received(bytes: usize) {
    HELD.set(HELD.get().wrapping_add_unsigned(bytes as u64));
}

/// Bytes that belong to something with a bound of its own, such as a cache, and not to the work at hand. They are the
/// work's again when it is dropped, which is where they are freed or go on being used.
#[derive(Debug)]
pub struct Apart(usize);

impl Apart {
    pub fn new(bytes: usize) -> Self {
        HELD.set(HELD.get().wrapping_sub_unsigned(bytes as u64));
        Self(bytes)
    }
}

impl Drop for Apart {
    fn drop(&mut self) {
        received(self.0);
    }
}

/// An allocator that counts what each thread takes from another one.
#[derive(Debug)]
pub struct Counting<A>(pub A);

fn took(bytes: usize) {
    HELD.set(HELD.get().wrapping_add_unsigned(bytes as u64));
}

fn gave_back(bytes: usize) {
    HELD.set(HELD.get().wrapping_sub_unsigned(bytes as u64));
}

#[expect(unsafe_code, reason = "an allocator is unsafe by its nature")]
// SAFETY: every call is handed on as it is, and what is returned is returned. Counting neither allocates nor panics.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counting<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps to the rules of this same function.
        let place = unsafe { self.0.alloc(layout) };
        if !place.is_null() {
            took(layout.size());
        }
        place
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        let place = unsafe { self.0.alloc_zeroed(layout) };
        if !place.is_null() {
            took(layout.size());
        }
        place
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        gave_back(layout.size());
        // SAFETY: as above.
        unsafe { self.0.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as above.
        let moved = unsafe { self.0.realloc(place, layout, new_size) };
        if !moved.is_null() {
            gave_back(layout.size());
            took(new_size);
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use std::alloc::System;

    use super::*;

    #[global_allocator]
    static ALLOCATOR: Counting<System> = Counting(System);

    fn since(before: i64) -> i64 {
        held() - before
    }

    #[test]
    fn what_is_taken_and_given_back_is_counted() {
        let before = held();
        let mut bytes: Vec<u8> = Vec::with_capacity(1_000);
        assert_eq!(since(before), 1_000);
        bytes.reserve_exact(5_000);
        assert_eq!(since(before), 5_000);
        bytes.shrink_to(100);
        assert_eq!(since(before), 100);
        drop(bytes);
        assert_eq!(since(before), 0);
        let zeros = vec![0_u64; 512];
        assert_eq!(since(before), 4_096);
        drop(zeros);
        assert_eq!(since(before), 0);
    }

    #[test]
    fn what_others_took_is_missing_until_it_is_told() {
        let before = held();
        let made = std::thread::spawn(|| vec![1_u8; 100_000]).join();
        let made = made.expect("the thread ends");
        received(made.capacity());
        let held_now = since(before);
        assert!((100_000..101_000).contains(&held_now), "{held_now}");
        drop(made);
        // What the thread itself took is freed by either of both.
        assert!(since(before).abs() < 1_000);
    }

    #[test]
    fn what_is_kept_apart_is_counted_again_at_its_end() {
        let before = held();
        let kept = vec![1_u8; 10_000];
        let apart = Apart::new(10_000);
        assert_eq!(since(before), 0);
        drop(apart);
        assert_eq!(since(before), 10_000);
        drop(kept);
        assert_eq!(since(before), 0);
    }
}
