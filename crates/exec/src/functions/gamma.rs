//! The gamma function and its logarithm, by Stirling's series.

use std::f64::consts::PI;

/// From here on so many terms of the series are exact to the last digits of a float.
const SERIES_FROM: f64 = 15.0;

/// No number at zero and at the negative integers.
pub(super) fn gamma(x: f64) -> f64 {
    if x.is_nan() || x == f64::NEG_INFINITY || (x <= 0.0 && x == x.floor()) {
        return f64::NAN;
    }
    // Beyond these the result is infinite, or too small to be told from zero.
    if x > 172.0 {
        return f64::INFINITY;
    }
    if x < 0.5 {
        return PI / ((PI * x).sin() * gamma(1.0 - x));
    }
    if x == x.floor() {
        return (1..x as u32).map(f64::from).product();
    }
    log_gamma(x).exp()
}

/// The logarithm of the gamma function's amount.
pub(super) fn log_gamma(x: f64) -> f64 {
    if x.is_nan() || x == f64::NEG_INFINITY || (x <= 0.0 && x == x.floor()) {
        return f64::NAN;
    }
    if x < 0.5 {
        return (PI / (PI * x).sin().abs()).ln() - log_gamma(1.0 - x);
    }
    let (mut shifted, mut product) = (x, 1.0);
    while shifted < SERIES_FROM {
        product *= shifted;
        shifted += 1.0;
    }
    series(shifted) - product.ln()
}

fn series(x: f64) -> f64 {
    // Bernoulli's numbers of even index n, each divided by n (n - 1).
    const TERMS: [f64; 7] = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1_260.0,
        -1.0 / 1_680.0,
        1.0 / 1_188.0,
        -691.0 / 360_360.0,
        1.0 / 156.0,
    ];
    let square = x * x;
    let tail = TERMS.iter().rev().fold(0.0, |sum, term| sum / square + term) / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + tail
}
