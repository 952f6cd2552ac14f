//! Answers that were kept as they were seen.

use tidegauge_catalog::frozen_answers::{ANSWERS_MAX, FrozenAnswer};

use crate::database::TestCatalog;
use crate::samples::{self, OWNER, at, change};

fn frozen(id: &str, seconds: i64) -> FrozenAnswer {
    FrozenAnswer {
        id: id.to_owned(),
        who: OWNER.to_owned(),
        apl: "['logs'] | count".to_owned(),
        start_time: "2026-06-01T00:00:00Z".to_owned(),
        end_time: "2026-06-01T01:00:00Z".to_owned(),
        reads: vec!["logs".to_owned(), "a view, with a comma".to_owned()],
        answer: vec![0, 1, 255],
        created: at(seconds),
    }
}

pub(crate) async fn reads_back_what_was_kept(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    test.insert_frozen_answer(&ours, &frozen("a", 1), &change(&ours)).await.unwrap();
    assert_eq!(test.find_frozen_answer(&ours, "a").await.unwrap(), Some(frozen("a", 1)));
    assert_eq!(test.find_frozen_answer(&theirs, "a").await.unwrap(), None);
    assert_eq!(test.find_frozen_answer(&ours, "b").await.unwrap(), None);
}

pub(crate) async fn keeps_so_many_of_an_organisation_and_drops_old_ones(test: &TestCatalog<'_>) {
    let (ours, theirs) = samples::two_orgs(test).await;
    test.insert_frozen_answer(&theirs, &frozen("theirs", 0), &change(&theirs)).await.unwrap();
    for number in 0..=ANSWERS_MAX {
        let frozen = frozen(&format!("{number}"), number);
        test.insert_frozen_answer(&ours, &frozen, &change(&ours)).await.unwrap();
    }
    assert_eq!(test.find_frozen_answer(&ours, "0").await.unwrap(), None, "the oldest made room");
    assert!(test.find_frozen_answer(&ours, "1").await.unwrap().is_some());
    assert!(test.find_frozen_answer(&theirs, "theirs").await.unwrap().is_some());
    assert_eq!(test.prune_frozen_answers(at(3)).await.unwrap(), 3);
    assert!(test.find_frozen_answer(&ours, "3").await.unwrap().is_some());
}
