//! Numbers.

use std::f64::consts::{E, FRAC_PI_4, FRAC_PI_6, PI};

use super::{Json, Null, Time, Timespan, cases, refusals};

#[test]
fn roots_powers_and_logarithms() {
    cases! {
        sqrt(25.563663) => 5.0560521160288685;
        sqrt(1600) => 40.0;
        sqrt(-1) => Null;
        sqrt(Null) => Null;
        sqrt(Json("4")) => 2.0;
        sqrt(Json("\"4\"")) => Null;
        pow(2, 6) => 64.0;
        pow(0, 0) => 1.0;
        pow(-8, 0.5) => Null;
        exp(1) => E;
        exp(1000) => f64::INFINITY;
        exp2(10) => 1024.0;
        exp10(2) => 100.0;
        log(1) => 0.0;
        log(5) => 1.6094379124341003;
        log(0) => Null;
        log(Null) => Null;
        log2(0) => Null;
        log10(0) => Null;
        log2(6) => 2.584962500721156;
        log2(64) => 6.0;
        log10(4) => 0.6020599913279624;
        log10(1000) => 3.0;
        gamma(4) => 6.0;
        gamma(0.5) => PI.sqrt();
        gamma(-0.5) => -2.0 * PI.sqrt();
        gamma(0) => Null;
        gamma(-3) => Null;
        gamma(200) => f64::INFINITY;
        loggamma(16) => 27.89927138384089;
        loggamma(5) => 3.1780538303479458;
        loggamma(10) => 12.801827480081469;
        loggamma(-0.5) => 1.2655121234846454;
        loggamma(0) => Null;
    }
    refusals! {
        sqrt("4") => "argument 1 of `sqrt` must be a number, and it is a string";
        pow(2, true) => "argument 2 of `pow` must be a number, and it is a boolean";
    }
}

#[test]
fn angles() {
    cases! {
        pi() => PI;
        acos(-1) => PI;
        acos(2) => Null;
        asin(0.5) => FRAC_PI_6;
        asin(-1.5) => Null;
        atan(-1) => -FRAC_PI_4;
        atan2(-1, 1) => -FRAC_PI_4;
        atan2(0, -1) => PI;
        cos(-1) => 0.5403023058681398;
        cot(-1) => -0.6420926159343308;
        sin(25.563663) => 0.41770848373492825;
        tan(25.563663) => 0.4597371460602336;
        degrees(PI / 3.0) => 60.0;
        degrees(2.5) => 143.2394487827058;
        radians(60) => 1.0471975511965976;
        sin(f64::INFINITY) => Null;
    }
}

#[test]
fn amounts_and_signs() {
    cases! {
        abs(80.5) => 80.5;
        abs(-5) => 5;
        abs(i64::MIN) => Null;
        abs(Timespan(-7)) => Timespan(7);
        abs(Null) => Null;
        sign(25.56) => 1;
        sign(-3) => -1;
        sign(0.0) => 0;
        sign(f64::NAN) => Null;
        isnan(f64::NAN) => true;
        isnan(1) => false;
        isinf(f64::NEG_INFINITY) => true;
        isfinite(25.56) => true;
        isfinite(f64::INFINITY) => false;
        isfinite(Null) => Null;
    }
    refusals! {
        abs("x") => "argument 1 of `abs` must be a number or a timespan, and it is a string";
        isnan(Time("2020-01-01")) => "argument 1 of `isnan` must be a number, and it is a datetime";
    }
}

#[test]
fn least_and_greatest() {
    cases! {
        min_of(3, 1, 2) => 1;
        max_of(3, 1, 2) => 3;
        min_of(2, 1.5) => 1.5;
        max_of(2, 1.5) => 2.0;
        min_of(Null, 4) => 4;
        max_of(Null, Null) => Null;
        max_of(i64::MIN, i64::MAX) => i64::MAX;
        max_of(Time("2024-12-15"), Time("2024-12-14")) => Time("2024-12-15");
        min_of(Timespan(5), Timespan(-5)) => Timespan(-5);
        min_of("b", "a") => "a";
        min_of(7) => 7;
    }
    refusals! {
        min_of(1, "a") => "argument 2 of `min_of` must be a number, and it is a string";
        max_of(Time("2024-12-15"), 1) => "must be a datetime like the first, and it is an integer";
        max_of(true) => "argument 1 of `max_of` must be a number, and it is a boolean";
    }
}

#[test]
fn rounding() {
    cases! {
        bin(25.73, 4) => 24.0;
        bin(4.5, 1) => 4.0;
        bin(11, 10) => 10;
        bin(9, 10) => 0;
        bin(-1, 10) => -10;
        bin(-0.5, 1) => -1.0;
        bin(i64::MIN, 10) => Null;
        bin(5, 0) => Null;
        bin(5, -2) => Null;
        bin(5.0, 0.0) => Null;
        bin(Time("2026-07-01T10:20:30Z"), Timespan(3_600_000_000_000)) => Time("2026-07-01T10:00:00Z");
        bin(Time("1969-12-31T23:30:00Z"), Timespan(3_600_000_000_000)) => Time("1969-12-31T23:00:00Z");
        bin(Timespan(-1), Timespan(10)) => Timespan(-10);
        bin(Null, 10) => Null;
        bin(10, Null) => Null;
        floor(25.73) => 25;
        floor(-0.5) => -1;
        floor(7) => 7;
        floor(1e300) => Null;
        floor(f64::NAN) => Null;
        ceiling(25.43) => 26;
        ceiling(-0.5) => 0;
        round(25.563663) => 26.0;
        round(25.563663, 2) => 25.56;
        round(-2.5) => -3.0;
        round(1234.5, -2) => 1200.0;
        round(7) => 7.0;
        round(1.5, 400) => 1.5;
        round(1e300, 300) => 1e300;
        round(1e300, -400) => 0.0;
        round(f64::NAN) => Null;
    }
    refusals! {
        bin(Time("2026-07-01"), 10) => "argument 2 of `bin` must be a timespan, and it is an integer";
        bin("a", 10) => "argument 1 of `bin` must be a number, and it is a string";
        floor("1.5") => "argument 1 of `floor` must be a number, and it is a string";
    }
}

#[test]
fn ranges() {
    cases! {
        range(100, 500, 100) => Json("[100,200,300,400,500]");
        range(1, 8, 3) => Json("[1,4,7]");
        range(1, 3) => Json("[1,2,3]");
        range(3, 1) => Json("[]");
        range(3, 1, -1) => Json("[3,2,1]");
        range(1, 2, 0.5) => Json("[1,1.5,2]");
        range(1, 5, 0) => Null;
        range(i64::MAX - 1, i64::MAX) => Json("[9223372036854775806,9223372036854775807]");
        range(0.0, 1.0, 0.0) => Json("[]");
        range(Time("2025-07-29T12:00:00Z"), Time("2025-07-29T12:30:00Z"), Timespan(900_000_000_000))
            => Json("[\"2025-07-29T12:00:00Z\",\"2025-07-29T12:15:00Z\",\"2025-07-29T12:30:00Z\"]");
        range(Timespan(0), Timespan(7_200_000_000_000)) => Json("[\"00:00:00\",\"01:00:00\",\"02:00:00\"]");
        range(Null, 5) => Null;
    }
    refusals! {
        range("a", 5) => "argument 1 of `range` must be a number, and it is a string";
    }
}
