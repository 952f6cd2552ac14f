//! How likely differences are by chance: the tails of the distributions of chi-square and of Kolmogorov and Smirnov.

/// More steps are never needed for the numbers of values that are compared.
const STEPS_MAX: usize = 10_000;
const PRECISION: f64 = 1e-14;

/// The chance of a chi-square of at least so much with so many degrees of freedom.
pub(super) fn chi_square_tail(chi_square: f64, degrees: f64) -> f64 {
    if degrees <= 0.0 || chi_square <= 0.0 {
        return 1.0;
    }
    let (shape, x) = (degrees / 2.0, chi_square / 2.0);
    let scale = (shape * x.ln() - x - ln_gamma(shape)).exp();
    let tail = if x < shape + 1.0 { 1.0 - scale * series(shape, x) } else { scale * fraction(shape, x) };
    tail.clamp(0.0, 1.0)
}

/// The lower incomplete gamma function without its scale, as a series.
fn series(shape: f64, x: f64) -> f64 {
    let mut term = 1.0 / shape;
    let mut sum = term;
    for step in 1..STEPS_MAX {
        term *= x / (shape + step as f64);
        sum += term;
        if term < sum * PRECISION {
            break;
        }
    }
    sum
}

/// The upper incomplete gamma function without its scale, as a continued fraction.
fn fraction(shape: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let mut b = x + 1.0 - shape;
    let mut c = 1.0 / TINY;
    let mut d = 1.0 / b;
    let mut value = d;
    for step in 1..STEPS_MAX {
        let step = step as f64;
        let a = -step * (step - shape);
        b += 2.0;
        d = a * d + b;
        d = if d.abs() < TINY { TINY } else { d };
        c = b + a / c;
        c = if c.abs() < TINY { TINY } else { c };
        d = 1.0 / d;
        let factor = d * c;
        value *= factor;
        if (factor - 1.0).abs() < PRECISION {
            break;
        }
    }
    value
}

/// The logarithm of the gamma function of a number above zero, by Stirling's series.
fn ln_gamma(mut x: f64) -> f64 {
    // The series is exact enough for large numbers; small ones are stepped up to them.
    let mut shift = 0.0;
    while x < 15.0 {
        shift -= x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse * (1.0 / 1260.0 - inverse / 1680.0))) / x;
    shift + (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series
}

/// The chance that distributions of so many numbers each are at least so far apart, though they are the same.
pub(super) fn distance_tail(distance: f64, counts: [f64; 2]) -> f64 {
    let [one, other] = counts;
    let size = (one * other / (one + other)).sqrt();
    let scaled = (size + 0.12 + 0.11 / size) * distance;
    if scaled < 0.2 {
        return 1.0;
    }
    let term = |step: i32| {
        let sign = if step % 2 == 1 { 2.0 } else { -2.0 };
        sign * (-2.0 * f64::from(step * step) * scaled * scaled).exp()
    };
    (1..100).map(term).sum::<f64>().clamp(0.0, 1.0)
}
