//! Series: arrays of numbers.

use std::f64::consts::TAU;

use super::{Json, Null, cases, refusals};
use crate::support::house::{House, Way, block_on};
use crate::support::reply::value;

#[test]
fn of_each_element() {
    cases! {
        series_abs(Json("[-50,30,-10,20]")) => Json("[50,30,10,20]");
        series_abs(Json("[-1.5,null,\"a\",-9223372036854775808]")) => Json("[1.5,null,null,9.223372036854776e18]");
        series_abs(Json("[]")) => Json("[]");
        series_abs(Null) => Null;
        series_abs(Json("{}")) => Null;
        series_sign(Json("[20,-5,0,-0.5,null]")) => Json("[1,-1,0,-1,null]");
        series_sign(Json("[]")) => Json("[]");
        series_ceiling(Json("[0.12,0.87,1.23]")) => Json("[1,1,2]");
        series_ceiling(Json("[null,-1.5]")) => Json("[null,-1]");
        series_floor(Json("[150.7,200.3,250.9]")) => Json("[150,200,250]");
        series_floor(Json("[-1.5,1,2.5,null]")) => Json("[-2,1,2,null]");
        series_exp(Json("[1,2,3]")) => Json("[2.718281828459045,7.38905609893065,20.085536923187668]");
        series_exp(Json("[null,1000]")) => Json("[null,null]");
        series_log(Json("[1,2,3]")) => Json("[0,0.6931471805599453,1.0986122886681098]");
        series_log(Json("[0,-1,null]")) => Json("[null,null,null]");
        series_sin(Json("[0,1]")) => Json("[0,0.8414709848078965]");
        series_sin(Json("[null]")) => Json("[null]");
        series_cos(Json("[0,1]")) => Json("[1,0.5403023058681398]");
        series_cos(Json("[null]")) => Json("[null]");
        series_tan(Json("[0,1]")) => Json("[0,1.5574077246549023]");
        series_tan(Json("[null]")) => Json("[null]");
        series_asin(Json("[0,0.5,2]")) => Json("[0,0.5235987755982989,null]");
        series_acos(Json("[1,0,2]")) => Json("[0,1.5707963267948966,null]");
        series_atan(Json("[0,1,null]")) => Json("[0,0.7853981633974483,null]");
    }
    refusals! {
        series_abs("[1]") => "argument 1 of `series_abs` must be an array, and it is a string";
        series_sign(5) => "must be an array, and it is an integer";
        series_ceiling(1.5) => "must be an array";
        series_floor(true) => "must be an array";
        series_exp("a") => "must be an array";
        series_log("a") => "must be an array";
        series_sin("a") => "must be an array";
        series_cos("a") => "must be an array";
        series_tan("a") => "must be an array";
        series_asin("a") => "must be an array";
        series_acos("a") => "must be an array";
        series_atan("a") => "must be an array";
        series_atan() => "takes 1 argument";
    }
}

#[test]
fn arithmetic_of_two() {
    const ONE: Json = Json("[1,2,4]");
    const OTHER: Json = Json("[4,2,1]");
    cases! {
        series_add(Json("[100,200,150]"), Json("[30,60,45]")) => Json("[130,260,195]");
        series_add(Json("[1,2,3]"), Json("[1.5,null]")) => Json("[2.5,null]");
        series_add(ONE, 10) => Json("[11,12,14]");
        series_add(0.5, ONE) => Json("[1.5,2.5,4.5]");
        series_add(Json("[9223372036854775807]"), 1) => Json("[9.223372036854776e18]");
        series_add(Null, ONE) => Null;
        series_add(1, 2) => Null;
        series_divide(ONE, OTHER) => Json("[0.25,1,4]");
        series_divide(Json("[1500,250]"), 1000.0) => Json("[1.5,0.25]");
        series_divide(Json("[1,-1,0,5]"), Json("[0,0,0]")) => Json("[null,null,null]");
        series_subtract(Json("[100,200]"), Json("[30,60]")) => Json("[70,140]");
        series_subtract(ONE, Json("[1]")) => Json("[0,null,null]");
        series_subtract(10, ONE) => Json("[9,8,6]");
        series_subtract(Json("[null]"), Json("[1]")) => Json("[null]");
        series_multiply(Json("[50,60,55]"), Json("[1.0,1.2,0.8]")) => Json("[50,72,44]");
        series_multiply(Json("[1]"), ONE) => Json("[1,null,null]");
        series_multiply(ONE, Null) => Null;
        series_pow(Json("[50,100,75,200]"), 2) => Json("[2500,10000,5625,40000]");
        series_pow(Json("[2,4]"), Json("[-1,0.5]")) => Json("[0.5,2]");
        series_pow(Json("[-1,null]"), 0.5) => Json("[null,null]");
        series_max(Json("[120,150,100]"), Json("[180,130,190]")) => Json("[180,150,190]");
        series_max(ONE, Json("[2,null]")) => Json("[2,null,null]");
        series_max(ONE, 3) => Json("[3,3,4]");
        series_min(Json("[120,150,100]"), Json("[180,130,190]")) => Json("[120,130,100]");
        series_min(ONE, 1.5) => Json("[1,1.5,1.5]");
        series_min(Json("[]"), ONE) => Json("[null,null,null]");
    }
    refusals! {
        series_add(ONE, "1") => "argument 2 of `series_add` must be an array or a number, and it is a string";
        series_divide(true, ONE) => "argument 1 of `series_divide` must be an array or a number";
        series_subtract(ONE, "1") => "must be an array or a number";
        series_multiply("x", ONE) => "must be an array or a number";
        series_pow(ONE, "2") => "must be an array or a number";
        series_max(ONE, "2") => "must be an array or a number";
        series_min(ONE, false) => "must be an array or a number";
    }
}

#[test]
fn comparisons_of_two() {
    const ONE: Json = Json("[1,2,4]");
    const OTHER: Json = Json("[4,2,1]");
    cases! {
        series_equals(Json("[150,200,250]"), 200) => Json("[false,true,false]");
        series_equals(ONE, Json("[1.0,3]")) => Json("[true,false,null]");
        series_equals(Null, 1) => Null;
        series_not_equals(ONE, OTHER) => Json("[true,false,true]");
        series_not_equals(Json("[null,1]"), 1) => Json("[null,false]");
        series_greater(ONE, OTHER) => Json("[false,false,true]");
        series_greater(Json("[180,220]"), 200) => Json("[false,true]");
        series_greater(Json("[]"), 200) => Json("[]");
        series_greater_equals(ONE, OTHER) => Json("[false,true,true]");
        series_greater_equals(Json("[null]"), ONE) => Json("[null,null,null]");
        series_less(ONE, OTHER) => Json("[true,false,false]");
        series_less(3, ONE) => Json("[false,false,true]");
        series_less(Json("[null]"), 1) => Json("[null]");
        series_less_equals(ONE, OTHER) => Json("[true,true,false]");
        series_less_equals(ONE, Null) => Null;
    }
    refusals! {
        series_equals(ONE, "1") => "must be an array or a number";
        series_not_equals(ONE, "1") => "must be an array or a number";
        series_greater(ONE, "1") => "must be an array or a number";
        series_greater_equals(ONE, "1") => "must be an array or a number";
        series_less(ONE, "1") => "must be an array or a number";
        series_less_equals("1", ONE) => "must be an array or a number";
    }
}

#[test]
fn fills() {
    const GAPS: Json = Json("[111,null,36,41,null,null,16,61,33,null,null]");
    cases! {
        series_fill_const(GAPS, 0.0) => Json("[111,0,36,41,0,0,16,61,33,0,0]");
        series_fill_const(GAPS, -1) => Json("[111,-1,36,41,-1,-1,16,61,33,-1,-1]");
        series_fill_const(Json("[1,-1,2]"), 0, -1) => Json("[1,0,2]");
        series_fill_const(Json("[]"), 0) => Json("[]");
        series_fill_const(Json("[null]"), Null) => Json("[null]");
        series_fill_const(Null, 0) => Null;
        series_fill_forward(Json("[null,null,36,41,null,null,16,61,33,null,null]"))
            => Json("[null,null,36,41,41,41,16,61,33,33,33]");
        series_fill_forward(Json("[150,null,null,200]")) => Json("[150,150,150,200]");
        series_fill_forward(Json("[0,5,0]"), 0) => Json("[0,5,5]");
        series_fill_forward(Json("[]")) => Json("[]");
        series_fill_backward(GAPS) => Json("[111,36,36,41,16,16,16,61,33,null,null]");
        series_fill_backward(Json("[0,5.5,0]"), 0) => Json("[5.5,5.5,0]");
        series_fill_backward(Null) => Null;
        series_fill_linear(Json("[100,null,null,200]")) => Json("[100,133.33333333333331,166.66666666666666,200]");
        series_fill_linear(Json("[null,111.0,null,36.0,null,null]")) => Json("[111,111.0,73.5,36.0,36,36]");
        series_fill_linear(Json("[null,111,null,36,null]"), Null, false) => Json("[null,111,73.5,36,null]");
        series_fill_linear(Json("[null,null]")) => Json("[0,0]");
        series_fill_linear(Json("[null,null]"), Null, true, 2.5) => Json("[2.5,2.5]");
        series_fill_linear(Json("[null]"), Null, true, Null) => Json("[null]");
        series_fill_linear(Json("[0,5,0,7]"), 0) => Json("[5,5,6,7]");
        series_fill_linear(Null) => Null;
    }
    refusals! {
        series_fill_const("a", 0) => "must be an array";
        series_fill_forward(5) => "must be an array";
        series_fill_backward(5) => "must be an array";
        series_fill_linear("a") => "must be an array";
        series_fill_linear(GAPS, 0, 5) => "argument 3 of `series_fill_linear` must be true or false";
    }
}

#[test]
fn filters() {
    cases! {
        series_fir(Json("[0,10,20,30]"), Json("[1,1]")) => Json("[0,5,15,25]");
        series_fir(Json("[0,0,10,0,0]"), Json("[1,2,1]"), true, true) => Json("[0,2.5,5,2.5,0]");
        series_fir(Json("[0,0,2,2,3,3]"), Json("[1,-1]")) => Json("[0,0,2,0,1,0]");
        series_fir(Json("[1,2]"), Json("[1,1]"), false) => Json("[1,3]");
        series_fir(Json("[1,2]"), Json("[1,-1]"), true) => Null;
        series_fir(Json("[1,null,3,4]"), Json("[1,1]"), false, false) => Json("[1,null,null,7]");
        series_fir(Json("[]"), Json("[1]")) => Json("[]");
        series_fir(Null, Json("[1]")) => Null;
        series_iir(Json("[1,2,3,4]"), Json("[1]"), Json("[1,-1]")) => Json("[1,3,6,10]");
        series_iir(Json("[4,4,4]"), Json("[1,1]"), Json("[2]")) => Json("[2,4,4]");
        series_iir(Json("[1]"), Json("[1]"), Json("[0]")) => Null;
        series_iir(Json("[1]"), Json("[1]"), Json("[]")) => Null;
        series_iir(Null, Json("[1]"), Json("[1]")) => Null;
    }
    refusals! {
        series_fir("a", Json("[1]")) => "argument 1 of `series_fir` must be an array";
        series_fir(Json("[1]"), Json("[1]"), "yes") => "argument 3 of `series_fir` must be true or false";
        series_iir(Json("[1]"), 1, Json("[1]")) => "argument 2 of `series_iir` must be an array";
    }
}

#[test]
fn transforms() {
    cases! {
        series_fft(Json("[1,2,3,4]")) => Json("[[10,-2,-2,-2],[0,2,0,-2]]");
        series_fft(Json("[1,0]"), Json("[0,1]")) => Json("[[1,1],[1,-1]]");
        series_fft(Json("[5]")) => Json("[[5],[0]]");
        series_fft(Json("[]")) => Json("[[],[]]");
        series_fft(Null) => Null;
        series_ifft(Json("[10,-2,-2,-2]"), Json("[0,2,0,-2]")) => Json("[[1,2,3,4],[0,0,0,0]]");
        series_ifft(Json("[[10,-2,-2,-2],[0,2,0,-2]]")) => Json("[[1,2,3,4],[0,0,0,0]]");
        series_ifft(Null) => Null;
    }
    refusals! {
        series_fft("a") => "must be an array";
        series_ifft(Json("[1]"), 5) => "argument 2 of `series_ifft` must be an array";
    }
}

#[test]
fn statistics() {
    const ONE: Json = Json("[0.1,0.2,0.1,0.2]");
    const LONG: Json = Json("[23,46,23,87,4,8,3,75,2,56,13,75,32,16,29]");
    cases! {
        series_sum(Json("[120,300,50]")) => 470.0;
        series_sum(Json("[1,null,\"a\",2.5]")) => 3.5;
        series_sum(Json("[]")) => 0.0;
        series_sum(Json("{}")) => Null;
        series_magnitude(Json("[3,4]")) => 5.0;
        series_magnitude(Json("[]")) => 0.0;
        series_dot_product(Json("[1,1,1]"), Json("[1.2,3.4,0.8]")) => 5.4;
        series_dot_product(Json("[1,2,3]"), Json("[4,null]")) => 4.0;
        series_dot_product(Json("[]"), Json("[1]")) => 0.0;
        series_cosine_similarity(ONE, Json("[0.11,0.2,0.11,0.21]")) => 0.999_353_438_255_040_5;
        series_cosine_similarity(ONE, Json("[1,2,3,4]")) => 0.923_760_430_703_401;
        series_cosine_similarity(Json("[]"), ONE) => Null;
        series_cosine_similarity(Json("[0,0]"), ONE) => Null;
        series_pearson_correlation(Json("[1,2,3,4,5]"), Json("[2,4,6,8,10]")) => 1.0;
        series_pearson_correlation(Json("[1,2,3]"), Json("[6,4,2]")) => -1.0;
        series_pearson_correlation(Json("[1,2]"), Json("[1,2,3]")) => Null;
        series_pearson_correlation(Json("[1,null]"), Json("[1,2]")) => Null;
        series_stats(Json("[2,8,5]")) => Json("[2,0,8,1,5,9,3]");
        series_stats(Json("[2,null,4]")) => Json("[null,null,null,null,null,null,null]");
        series_stats(Json("[null,2,4]"), true) => Json("[2,1,4,2,3,2,1.4142135623730951]");
        series_stats(Json("[]")) => Json("[null,null,null,null,null,null,null]");
        series_stats(Json("[7]")) => Json("[7,0,7,0,7,0,0]");
        series_stats(Null) => Null;
        series_stats_dynamic(LONG) => Json("{\"min\":2,\"min_idx\":8,\"max\":87,\"max_idx\":3,\"avg\":32.8,\"variance\":812.4571428571428,\"stdev\":28.503633853548266,\"sum\":492,\"len\":15}");
        series_stats_dynamic(Json("[null]"), true) => Json("{\"min\":null,\"min_idx\":null,\"max\":null,\"max_idx\":null,\"avg\":null,\"variance\":null,\"stdev\":null,\"sum\":null,\"len\":0}");
        series_stats_dynamic(Null) => Null;
    }
    refusals! {
        series_sum("a") => "must be an array";
        series_magnitude(5) => "must be an array";
        series_dot_product(ONE, 5) => "argument 2 of `series_dot_product` must be an array";
        series_cosine_similarity("a", ONE) => "must be an array";
        series_pearson_correlation(ONE, "a") => "must be an array";
        series_stats("a") => "must be an array";
        series_stats(ONE, 5) => "argument 2 of `series_stats` must be true or false";
        series_stats_dynamic(5) => "must be an array";
    }
}

/// The transform of a series as its definition says, as real and as imaginary parts.
fn transform(series: &[f64]) -> [Vec<f64>; 2] {
    let of = |number: usize, part: fn(f64) -> f64| {
        let turn = |place: usize| TAU * (number * place % series.len()) as f64 / series.len() as f64;
        series.iter().enumerate().map(|(place, value)| value * part(-turn(place))).sum()
    };
    [f64::cos as fn(f64) -> f64, f64::sin]
        .map(|part| (0..series.len()).map(|number| of(number, part)).collect())
}

#[test]
fn transforms_of_every_length_follow_the_definition() {
    block_on(async {
        let house = House::new().await;
        for count in [1, 2, 8, 64, 65, 100, 128] {
            let series: Vec<f64> = (0..count).map(|place| (place * 7 % 11) as f64).collect();
            let text = format!(
                "print t = series_fft(dynamic({series:?})) | extend r = t[0], i = t[1] \
                 | project r, i, b = series_ifft(r, i)[0]"
            );
            let answer = house.ask_text(&[], &text, Way::Cached).await.unwrap();
            let [real, imaginary] = transform(&series);
            for (field, wanted) in answer.tables[0].fields.iter().zip([real, imaginary, series]) {
                let found = value(field, 0);
                let found = found.as_array().unwrap().iter().map(|number| number.as_f64().unwrap());
                assert_eq!(found.len(), wanted.len());
                for (found, wanted) in found.zip(wanted) {
                    assert!((found - wanted).abs() < 1e-8, "{count}: {found} {wanted}");
                }
            }
        }
    });
}
