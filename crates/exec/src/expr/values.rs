//! What an expression gives: an array, or one value that stands for all rows.

use arrow_array::{Array, ArrayRef, Datum, UInt32Array, new_null_array};

use crate::error::Result;

/// The values of an expression: one for each row, or one for all.
#[derive(Clone, Debug)]
pub enum Values {
    Array(ArrayRef),
    /// An array of one.
    Scalar(ArrayRef),
}

impl Values {
    /// One value for each row.
    pub fn into_array(self, rows: usize) -> Result<ArrayRef> {
        match self {
            Self::Array(array) => Ok(array),
            Self::Scalar(value) if rows == 1 => Ok(value),
            Self::Scalar(value) if value.is_null(0) => Ok(new_null_array(value.data_type(), rows)),
            Self::Scalar(value) => {
                let places = UInt32Array::from(vec![0; rows]);
                Ok(arrow_select::take::take(&value, &places, None)?)
            }
        }
    }

    #[inline]
    pub fn array(&self) -> &ArrayRef {
        match self {
            Self::Array(array) | Self::Scalar(array) => array,
        }
    }

    /// Where the value of a row stands in [`Self::array`].
    #[inline]
    pub fn place(&self, row: usize) -> usize {
        match self {
            Self::Array(_) => row,
            Self::Scalar(_) => 0,
        }
    }

    #[inline]
    pub fn is_null(&self, row: usize) -> bool {
        self.array().is_null(self.place(row))
    }
}

impl Datum for Values {
    fn get(&self) -> (&dyn Array, bool) {
        match self {
            Self::Array(array) => (array, false),
            Self::Scalar(value) => (value, true),
        }
    }
}
