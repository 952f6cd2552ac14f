//! Kernels of one argument that compute the value of each row for itself. Where the argument is null, so is the value.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, StringViewBuilder};
use arrow_array::{Array, ArrayRef};

use crate::expr::{Kernel, Values};

/// A kernel that writes the text of each row that has a value.
pub fn texts(write: impl Fn(&ArrayRef, usize, &mut String) + Send + Sync + 'static) -> Kernel {
    Arc::new(move |values: &[Values], _| {
        let array = values[0].array();
        let mut builder = StringViewBuilder::with_capacity(array.len());
        let mut text = String::new();
        for row in 0..array.len() {
            if array.is_null(row) {
                builder.append_null();
                continue;
            }
            text.clear();
            write(array, row, &mut text);
            builder.append_value(&text);
        }
        Ok(Arc::new(builder.finish()) as ArrayRef)
    })
}

/// A kernel that gives a float for each row that has a value.
pub fn floats(read: impl Fn(&ArrayRef, usize) -> Option<f64> + Send + Sync + 'static) -> Kernel {
    Arc::new(move |values: &[Values], _| {
        let array = values[0].array();
        let mut builder = Float64Builder::with_capacity(array.len());
        (0..array.len()).for_each(|row| builder.append_option(there(array, row, &read)));
        Ok(Arc::new(builder.finish()) as ArrayRef)
    })
}

/// A kernel that gives an integer for each row that has a value.
pub fn integers(read: impl Fn(&ArrayRef, usize) -> Option<i64> + Send + Sync + 'static) -> Kernel {
    Arc::new(move |values: &[Values], _| {
        let array = values[0].array();
        let mut builder = Int64Builder::with_capacity(array.len());
        (0..array.len()).for_each(|row| builder.append_option(there(array, row, &read)));
        Ok(Arc::new(builder.finish()) as ArrayRef)
    })
}

/// A kernel that gives a boolean for each row that has a value.
pub fn booleans(read: impl Fn(&ArrayRef, usize) -> Option<bool> + Send + Sync + 'static) -> Kernel {
    Arc::new(move |values: &[Values], _| {
        let array = values[0].array();
        let mut builder = BooleanBuilder::with_capacity(array.len());
        (0..array.len()).for_each(|row| builder.append_option(there(array, row, &read)));
        Ok(Arc::new(builder.finish()) as ArrayRef)
    })
}

fn there<T>(array: &ArrayRef, row: usize, read: &impl Fn(&ArrayRef, usize) -> Option<T>) -> Option<T> {
    if array.is_null(row) { None } else { read(array, row) }
}
