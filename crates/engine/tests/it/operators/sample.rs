//! `sample`: about a share of the rows.

use serde_json::{Value as Json, json};

use super::{answer, messages, refuses};
use crate::support::house::{House, Placement, Way, block_on};

fn count(answer: &Json) -> u64 {
    answer[1][0].as_u64().unwrap()
}

#[test]
fn about_the_share_is_kept() {
    block_on(async {
        let house = House::new().await;
        let texts = vec!["x"; 2000];
        let events: String = messages(&texts).iter().map(|event| format!("{event}\n")).collect();
        for placement in [Placement::Buffer, Placement::Segments] {
            let filled = house.filled(std::slice::from_ref(&events), placement).await;
            let datasets = [("logs", &filled.state)];
            let sampled =
                answer(&house, &datasets, "logs | sample 0.25 | count", Way::Uncached).await.unwrap();
            assert!((350..650).contains(&count(&sampled)), "{sampled}");
            let text =
                "let share = 0.5; logs | extend a = 1 | summarize count() by _time, a | sample share | count";
            let sampled = answer(&house, &datasets, text, Way::Threads).await.unwrap();
            assert!((800..1200).contains(&count(&sampled)), "{sampled}");
            house.forget(&filled);
        }
        let empty = answer(&house, &[], "datatable(a:long)[] | sample 0.5", Way::Uncached).await;
        assert_eq!(empty, Ok(json!([["a"]])));
    });
}

#[test]
fn what_cannot_be_is_told() {
    refuses(&[
        ("let n = 5; print a = 1 | sample n", "between 0 and 1"),
        ("print a = 0.5 | extend b = a | sample 'x' != 'y'", "between 0 and 1"),
    ]);
}
