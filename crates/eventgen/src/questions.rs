//! Questions about made-up events, in the query language, for who has only the binary. The comparison with other
//! engines asks more of them, in `benches`.

/// A name and a query, in which `DATASET` stands for the dataset.
pub const QUESTIONS: &[(&str, &str)] = &[
    ("count over time", "DATASET | summarize count() by bin_auto(_time)"),
    (
        "average and percentiles by service",
        "DATASET | summarize avg(duration_ms), percentiles_array(duration_ms, 50, 95, 99) by service",
    ),
    ("top paths of failures", "DATASET | where status >= 500 | summarize n = count() by path | top 10 by n"),
    ("distinct users", "DATASET | summarize dcount(user_id)"),
    ("service and status over time", "DATASET | summarize count() by bin_auto(_time), service, status"),
    (
        "three filters",
        "DATASET | where service == 'payments' and region == 'us-west-2' and status >= 500 \
         | summarize count(), max(duration_ms)",
    ),
    ("top users", "DATASET | summarize n = count() by user_id | top 10 by n"),
    ("last 100 failures", "DATASET | where status >= 500 | sort by _time desc | take 100"),
    ("a common word", "DATASET | where message contains_cs 'checksum' | summarize count()"),
    ("a rare word", "DATASET | where message contains_cs 'breaker' | summarize count()"),
    ("an absent word", "DATASET | where message contains_cs 'xylophone' | summarize count()"),
    (
        "a regular expression",
        "DATASET | where message matches regex @'after [0-9]{3}\\.[0-9]+ ms' | summarize count()",
    ),
];
