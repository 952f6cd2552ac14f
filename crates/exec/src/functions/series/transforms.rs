//! Fourier's transform of series of any length, and back. Its result is an array of two: the real and the imaginary
//! parts. What is no number counts as zero.

use std::f64::consts::PI;

use tidegauge_lang::tree::Type;

use super::super::call::{Call, Function, function, literal_text};
use super::super::elements;
use super::{floats, series, write_floats};
use crate::error::Result;
use crate::value::Value;

pub(in crate::functions) const FUNCTIONS: &[Function] = &[
    function("series_fft", 1, 2, |call| transformed(call, Direction::Forward)),
    function("series_ifft", 1, 2, |call| transformed(call, Direction::Back)),
];

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Forward,
    Back,
}

/// A complex number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Complex {
    real: f64,
    imaginary: f64,
}

impl Complex {
    const ZERO: Self = Self { real: 0.0, imaginary: 0.0 };

    fn plus(self, other: Self) -> Self {
        Self { real: self.real + other.real, imaginary: self.imaginary + other.imaginary }
    }

    fn minus(self, other: Self) -> Self {
        Self { real: self.real - other.real, imaginary: self.imaginary - other.imaginary }
    }

    fn times(self, other: Self) -> Self {
        Self {
            real: self.real * other.real - self.imaginary * other.imaginary,
            imaginary: self.real * other.imaginary + self.imaginary * other.real,
        }
    }

    fn conjugate(self) -> Self {
        Self { imaginary: -self.imaginary, ..self }
    }

    /// What lies on the unit circle so many of so many parts of it clockwise. Quarters are exact.
    fn root(part: usize, parts: usize) -> Self {
        let part = part % parts;
        match part * 4 {
            0 => Self { real: 1.0, imaginary: 0.0 },
            quarter if quarter == parts => Self { real: 0.0, imaginary: -1.0 },
            quarter if quarter == parts * 2 => Self { real: -1.0, imaginary: 0.0 },
            quarter if quarter == parts * 3 => Self { real: 0.0, imaginary: 1.0 },
            _ => {
                let angle = -2.0 * PI * part as f64 / parts as f64;
                Self { real: angle.cos(), imaginary: angle.sin() }
            }
        }
    }
}

fn transformed(call: &Call<'_>, direction: Direction) -> Result<Value> {
    let run = call.texts(move |row, text| {
        let values = read(row.text(0), row.text(1))?;
        let values = match direction {
            Direction::Forward => transform(values),
            Direction::Back => inverse(values),
        };
        let parts = [|value: &Complex| value.real, |value: &Complex| value.imaginary];
        elements::write_array(text, parts, |part, text| write_floats(text, values.iter().map(part)));
        Some(())
    });
    let imaginary = if call.count() == 2 { series(call, 1)? } else { None };
    let imaginary = imaginary.unwrap_or_else(|| literal_text("[]"));
    call.result(Type::Array, [series(call, 0)?, Some(imaginary)], run)
}

/// The numbers of two series. One series that is a pair of series is the result of another transform.
fn read(real: &str, imaginary: &str) -> Option<Vec<Complex>> {
    let pair = elements::elements(real)?;
    if let [first, second] = pair[..]
        && first.get().starts_with('[')
    {
        return read(first.get(), second.get());
    }
    let (real, imaginary) = (floats(real)?, floats(imaginary)?);
    let number = |value: f64| if value.is_finite() { value } else { 0.0 };
    let at = |place: usize| imaginary.get(place).copied().map_or(0.0, number);
    let complex = |(place, value)| Complex { real: number(value), imaginary: at(place) };
    Some(real.into_iter().enumerate().map(complex).collect())
}

fn inverse(values: Vec<Complex>) -> Vec<Complex> {
    let count = values.len() as f64;
    let conjugates = transform(values.into_iter().map(Complex::conjugate).collect());
    let scaled = |value: Complex| Complex { real: value.real / count, imaginary: -value.imaginary / count };
    conjugates.into_iter().map(scaled).collect()
}

fn transform(values: Vec<Complex>) -> Vec<Complex> {
    // Up to here the plain sum is quick and the most exact.
    const PLAIN_MAX: usize = 64;
    if values.len().is_power_of_two() {
        by_halves(values)
    } else if values.len() <= PLAIN_MAX {
        by_sums(&values)
    } else {
        by_convolution(&values)
    }
}

fn by_sums(values: &[Complex]) -> Vec<Complex> {
    let count = values.len();
    let at = |place: usize| {
        let terms =
            values.iter().enumerate().map(|(back, value)| value.times(Complex::root(place * back, count)));
        terms.fold(Complex::ZERO, Complex::plus)
    };
    (0..count).map(at).collect()
}

/// Cooley and Tukey's way for a count that is a power of two.
fn by_halves(mut values: Vec<Complex>) -> Vec<Complex> {
    let count = values.len();
    let bits = count.trailing_zeros();
    for place in 0..count {
        let mirrored = if bits == 0 { 0 } else { place.reverse_bits() >> (usize::BITS - bits) };
        if place < mirrored {
            values.swap(place, mirrored);
        }
    }
    let roots: Vec<Complex> = (0..count / 2).map(|part| Complex::root(part, count)).collect();
    let mut length = 2;
    while length <= count {
        for block in values.chunks_exact_mut(length) {
            let (low, high) = block.split_at_mut(length / 2);
            for (place, (low, high)) in low.iter_mut().zip(high).enumerate() {
                let turned = high.times(roots[place * (count / length)]);
                (*low, *high) = (low.plus(turned), low.minus(turned));
            }
        }
        length *= 2;
    }
    values
}

/// Bluestein's way for any count: a convolution, which is a product of transforms of a power of two.
fn by_convolution(values: &[Complex]) -> Vec<Complex> {
    let count = values.len();
    let padded = (count * 2 - 1).next_power_of_two();
    // Half a root at the square of the place, which is taken modulo so that the angle stays small.
    let chirp: Vec<Complex> =
        (0..count).map(|place| Complex::root(place * place % (count * 2), count * 2)).collect();
    let mut signal = vec![Complex::ZERO; padded];
    let mut filter = vec![Complex::ZERO; padded];
    for (place, (value, chirp)) in values.iter().zip(&chirp).enumerate() {
        signal[place] = value.times(*chirp);
        filter[place] = chirp.conjugate();
        filter[(padded - place) % padded] = chirp.conjugate();
    }
    let products = by_halves(signal).into_iter().zip(by_halves(filter));
    let convolved = inverse(products.map(|(one, other)| one.times(other)).collect());
    convolved.into_iter().zip(chirp).map(|(value, chirp)| value.times(chirp)).collect()
}
