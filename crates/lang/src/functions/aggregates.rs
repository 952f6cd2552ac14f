//! The aggregation functions: what `summarize` and `make-series` compute over the rows of a group.

use super::function::{
    ANY, BOOLEAN, Family, Function, INTEGER, NUMBER, Parameter, Repeats, ResultType, STRING, parameter,
};
use crate::tree::Type;

const VALUE: Parameter = parameter("value", ANY);
const CONDITION: Parameter = parameter("condition", BOOLEAN);
const QUANTITY: Parameter = parameter("value", &[Type::Integer, Type::Float, Type::Timespan]);
const MEASURE: Parameter = parameter("value", &[Type::Integer, Type::Float, Type::Timespan, Type::Datetime]);
const ORDERED: Parameter = parameter(
    "value",
    &[Type::Integer, Type::Float, Type::Timespan, Type::Datetime, Type::String, Type::Boolean],
);
const PERCENT: Parameter = parameter("percent", NUMBER);
const COUNT: Parameter = parameter("count", INTEGER);
const BINS: Parameter = parameter("bins", INTEGER);
const MOST: Parameter = parameter("most", INTEGER);
const FIELD: Parameter = parameter("field", ANY);
const SERIES: Parameter = parameter("series", ANY);
const HISTOGRAM: Parameter = parameter("histogram", &[Type::Map]);

const fn aggregate(
    name: &'static str,
    parameters: &'static [Parameter],
    result: ResultType,
    doc: &'static str,
    example: (&'static str, &'static str),
) -> Function {
    Function::new(Family::Aggregation, name, parameters, result, doc, example)
}

const INTEGER_RESULT: ResultType = ResultType::Always(Type::Integer);
const FLOAT_RESULT: ResultType = ResultType::Always(Type::Float);
const ARRAY_RESULT: ResultType = ResultType::Always(Type::Array);
const SAME: ResultType = ResultType::OfArgument(0);
const MEAN: ResultType = ResultType::MeanOf(0);

pub(super) const AGGREGATES: &[Function] = &[
    aggregate(
        "count",
        &[VALUE],
        INTEGER_RESULT,
        "How many rows there are, or how many have a value.",
        ("datatable(x:long)[1, 2] | summarize count()", "2"),
    )
    .requires(0),
    aggregate(
        "countif",
        &[CONDITION],
        INTEGER_RESULT,
        "How many rows the condition is true for.",
        ("datatable(x:long)[1, 2] | summarize countif(x > 1)", "1"),
    ),
    aggregate(
        "dcount",
        &[VALUE],
        INTEGER_RESULT,
        "About how many different values there are.",
        ("datatable(x:long)[1, 1, 2] | summarize dcount(x)", "2"),
    ),
    aggregate(
        "dcountif",
        &[VALUE, CONDITION],
        INTEGER_RESULT,
        "About how many different values there are where the condition is true.",
        ("datatable(x:long)[1, 1, 2] | summarize dcountif(x, x < 2)", "1"),
    ),
    aggregate(
        "sum",
        &[QUANTITY],
        SAME,
        "The sum of the values.",
        ("datatable(x:long)[1, 2] | summarize sum(x)", "3"),
    ),
    aggregate(
        "sumif",
        &[QUANTITY, CONDITION],
        SAME,
        "The sum of the values where the condition is true.",
        ("datatable(x:long)[1, 2] | summarize sumif(x, x > 1)", "2"),
    ),
    aggregate(
        "avg",
        &[MEASURE],
        MEAN,
        "The mean of the values.",
        ("datatable(x:long)[1, 2] | summarize avg(x)", "1.5"),
    ),
    aggregate(
        "avgif",
        &[MEASURE, CONDITION],
        MEAN,
        "The mean of the values where the condition is true.",
        ("datatable(x:long)[1, 2] | summarize avgif(x, x > 1)", "2.0"),
    ),
    aggregate(
        "min",
        &[ORDERED],
        SAME,
        "The least value.",
        ("datatable(x:long)[1, 2] | summarize min(x)", "1"),
    ),
    aggregate(
        "minif",
        &[ORDERED, CONDITION],
        SAME,
        "The least value where the condition is true.",
        ("datatable(x:long)[1, 2] | summarize minif(x, x > 1)", "2"),
    ),
    aggregate(
        "max",
        &[ORDERED],
        SAME,
        "The greatest value.",
        ("datatable(x:long)[1, 2] | summarize max(x)", "2"),
    ),
    aggregate(
        "maxif",
        &[ORDERED, CONDITION],
        SAME,
        "The greatest value where the condition is true.",
        ("datatable(x:long)[1, 2] | summarize maxif(x, x < 2)", "1"),
    ),
    aggregate(
        "stdev",
        &[QUANTITY],
        FLOAT_RESULT,
        "The standard deviation of the values as a sample.",
        ("datatable(x:long)[1, 3, 5] | summarize stdev(x)", "2.0"),
    ),
    aggregate(
        "stdevif",
        &[QUANTITY, CONDITION],
        FLOAT_RESULT,
        "The standard deviation of the values where the condition is true.",
        ("datatable(x:long)[1, 3, 5, 9] | summarize stdevif(x, x < 9)", "2.0"),
    ),
    aggregate(
        "variance",
        &[QUANTITY],
        FLOAT_RESULT,
        "The variance of the values as a sample.",
        ("datatable(x:long)[1, 3] | summarize variance(x)", "2.0"),
    ),
    aggregate(
        "varianceif",
        &[QUANTITY, CONDITION],
        FLOAT_RESULT,
        "The variance of the values where the condition is true.",
        ("datatable(x:long)[1, 3, 9] | summarize varianceif(x, x < 5)", "2.0"),
    ),
    aggregate(
        "percentile",
        &[MEASURE, PERCENT],
        SAME,
        "About the value below which so many percent of all lie.",
        ("datatable(x:long)[7, 7] | summarize percentile(x, 50)", "7"),
    ),
    aggregate(
        "percentileif",
        &[MEASURE, PERCENT, CONDITION],
        SAME,
        "About the value below which so many percent lie, where the condition is true.",
        ("datatable(x:long)[7, 7, 9] | summarize percentileif(x, 50, x < 9)", "7"),
    ),
    aggregate(
        "percentiles_array",
        &[MEASURE, PERCENT],
        ARRAY_RESULT,
        "As `percentile`, for several percentages, in an array.",
        ("datatable(x:long)[7, 7] | summarize percentiles_array(x, 50, 95)", "dynamic([7, 7])"),
    )
    .repeats(Repeats::LastParameter),
    aggregate(
        "percentiles_arrayif",
        &[MEASURE, parameter("percents", &[Type::Array]), CONDITION],
        ARRAY_RESULT,
        "As `percentiles_array`, where the condition is true.",
        (
            "datatable(x:long)[7, 7] | summarize percentiles_arrayif(x, dynamic([50, 95]), x > 1)",
            "dynamic([7, 7])",
        ),
    ),
    aggregate(
        "histogram",
        &[QUANTITY, BINS],
        ARRAY_RESULT,
        "Counts of the values in so many ranges of equal width.",
        (
            "datatable(x:long)[1, 2, 5] | summarize histogram(x, 2)",
            r#"dynamic([{"from":1.0,"to":3.0,"count":2},{"from":3.0,"to":5.0,"count":1}])"#,
        ),
    ),
    aggregate(
        "histogramif",
        &[QUANTITY, BINS, CONDITION],
        ARRAY_RESULT,
        "As `histogram`, where the condition is true.",
        (
            "datatable(x:long)[1, 2, 5] | summarize histogramif(x, 2, x < 5)",
            r#"dynamic([{"from":1.0,"to":1.5,"count":1},{"from":1.5,"to":2.0,"count":1}])"#,
        ),
    ),
    aggregate(
        "histogram_increase",
        &[HISTOGRAM, SERIES],
        ResultType::Always(Type::Map),
        "How much the counts of histograms rose, as `increase`, in a histogram; `*` stands for that of the row.",
        (
            r#"datatable(_time:datetime, h:dynamic)[datetime(2024-01-01), dynamic({"bounds":[1],"counts":[2,0]}), datetime(2024-01-02), dynamic({"bounds":[1],"counts":[5,1]})] | summarize histogram_increase(h, "a")"#,
            r#"dynamic({"bounds":[1.0],"counts":[3.0,1.0]})"#,
        ),
    )
    .repeats(Repeats::LastParameter),
    aggregate(
        "histogram_quantile",
        &[parameter("quantile", NUMBER), parameter("histogram", ANY), parameter("counts", ANY)],
        FLOAT_RESULT,
        "The value below which this share of observations lies, from 0 to 1, of a histogram (`*` stands for that of the \
         row), of bounds and counts, or of bounds and counts up to each.",
        (
            r#"datatable(le:string, n:long)["1", 5, "2", 10, "+Inf", 10] | summarize histogram_quantile(0.75, le, n)"#,
            "1.5",
        ),
    )
    .requires(2),
    aggregate(
        "increase",
        &[parameter("value", NUMBER), SERIES],
        FLOAT_RESULT,
        "How much counters rose, each by its own points in the order of `_time`; one that fell began anew at zero.",
        (
            "datatable(_time:datetime, x:long)[datetime(2024-01-01), 5, datetime(2024-01-02), 8, \
             datetime(2024-01-03), 2] | summarize increase(x, \"a\")",
            "5.0",
        ),
    )
    .repeats(Repeats::LastParameter),
    aggregate(
        "topk",
        &[VALUE, COUNT],
        ARRAY_RESULT,
        "About the most frequent values with their counts.",
        (
            "datatable(x:long)[1, 1, 2] | summarize topk(x, 1)",
            r#"dynamic([{"key":1,"count":2,"error":0}])"#,
        ),
    ),
    aggregate(
        "topkif",
        &[VALUE, COUNT, CONDITION],
        ARRAY_RESULT,
        "As `topk`, where the condition is true.",
        (
            "datatable(x:long)[1, 1, 2] | summarize topkif(x, 1, x > 1)",
            r#"dynamic([{"key":2,"count":1,"error":0}])"#,
        ),
    ),
    aggregate(
        "make_list",
        &[VALUE, MOST],
        ARRAY_RESULT,
        "All values in an array, at most so many.",
        ("datatable(x:long)[1, 1] | summarize make_list(x)", "dynamic([1, 1])"),
    )
    .requires(1),
    aggregate(
        "make_list_if",
        &[VALUE, CONDITION, MOST],
        ARRAY_RESULT,
        "All values where the condition is true, in an array.",
        ("datatable(x:long)[1, 2] | summarize make_list_if(x, x > 1)", "dynamic([2])"),
    )
    .requires(2),
    aggregate(
        "make_set",
        &[VALUE, MOST],
        ARRAY_RESULT,
        "The different values in an array, at most so many.",
        ("datatable(x:long)[1, 1] | summarize make_set(x)", "dynamic([1])"),
    )
    .requires(1),
    aggregate(
        "make_set_if",
        &[VALUE, CONDITION, MOST],
        ARRAY_RESULT,
        "The different values where the condition is true, in an array.",
        ("datatable(x:long)[1, 2, 2] | summarize make_set_if(x, x > 1)", "dynamic([2])"),
    )
    .requires(2),
    aggregate(
        "arg_max",
        &[ORDERED, FIELD],
        SAME,
        "The greatest value, and fields of the row that has it; `*` stands for all.",
        ("datatable(x:long, y:string)[1, \"a\", 2, \"b\"] | summarize arg_max(x, y) | project y", "\"b\""),
    )
    .requires(1)
    .repeats(Repeats::LastParameter),
    aggregate(
        "arg_min",
        &[ORDERED, FIELD],
        SAME,
        "The least value, and fields of the row that has it; `*` stands for all.",
        ("datatable(x:long, y:string)[1, \"a\", 2, \"b\"] | summarize arg_min(x, y) | project y", "\"a\""),
    )
    .requires(1)
    .repeats(Repeats::LastParameter),
    aggregate(
        "phrases",
        &[parameter("text", STRING), COUNT],
        ARRAY_RESULT,
        "The most frequent sequences of words with their counts.",
        (
            r#"datatable(x:string)["disk is full", "disk is slow"] | summarize phrases(x, 1)"#,
            r#"dynamic([{"phrase":"disk is","count":2}])"#,
        ),
    )
    .requires(1),
    aggregate(
        "rate",
        &[parameter("value", NUMBER), SERIES],
        FLOAT_RESULT,
        "The sum of the values for each second of the bucket, or of the whole range; of counters with their series, how \
         much they rose.",
        (
            "datatable(_time:datetime, x:long)[datetime(2024-01-01), 90] | summarize rate(x) by bin(_time, 1m) \
             | project rate_x",
            "1.5",
        ),
    )
    .requires(1)
    .repeats(Repeats::LastParameter),
    aggregate(
        "spotlight",
        &[CONDITION, FIELD],
        ARRAY_RESULT,
        "How the rows that the condition is true for differ from the others, field by field; both must be six at least.",
        ("datatable(x:long)[1, 2] | summarize spotlight(x > 1, x)", "dynamic([])"),
    )
    .repeats(Repeats::LastParameter),
];
