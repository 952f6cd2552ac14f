//! Answers that were kept as they were seen.

use tidegauge_catalog::frozen_answers::{ANSWERS_MAX, FrozenAnswer};

use crate::database::TestCatalog;
use crate::event_samples::{insert, segment};
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

/// The times are those of `frozen`: from midnight to one.
pub(crate) async fn go_with_events_that_they_may_show(test: &TestCatalog<'_>) {
    const MIDNIGHT: i64 = 1_780_272_000_000_000_000;
    const HOUR: i64 = 3_600_000_000_000;
    let (ours, theirs) = samples::two_orgs(test).await;
    let logs = insert(test, &ours, "logs").await.id;
    let other = insert(test, &ours, "log").await.id;
    insert(test, &theirs, "logs").await;
    test.insert_frozen_answer(&theirs, &frozen("theirs", 0), &change(&theirs)).await.unwrap();
    let keep = async |id: &str, start: &str, end: &str| {
        let (start_time, end_time) = (start.to_owned(), end.to_owned());
        let frozen = FrozenAnswer { start_time, end_time, ..frozen(id, 1) };
        test.insert_frozen_answer(&ours, &frozen, &change(&ours)).await.unwrap();
    };
    keep("hour", "2026-06-01T00:00:00Z", "2026-06-01T01:00:00Z").await;
    keep("begins a millionth later", "2026-06-01T00:00:00.000001Z", "2026-06-01T01:00:00Z").await;
    keep("unreadable", "then", "now").await;
    let is_there = async |id: &str| test.find_frozen_answer(&ours, id).await.unwrap().is_some();

    let new: Vec<_> = (1..=4).map(|number| segment(&format!("segment_{number}"))).collect();
    test.publish_flush(&logs, &new, 8, &[], &[], at(70)).await.unwrap();
    let removed = |number: usize| [new[number].id.clone()];
    let before = ["hour", "begins a millionth later", "unreadable"];
    // Nothing of another dataset, and nothing where the change is refused or no event goes.
    test.erase_events(&other, &[], &[], &(i64::MIN..=i64::MAX), at(80)).await.unwrap();
    test.erase_events(&logs, &["unknown".into()], &[], &(i64::MIN..=i64::MAX), at(80)).await.unwrap_err();
    test.replace_segments(&logs, &removed(0), &[], at(80)).await.unwrap();
    for id in before {
        assert!(is_there(id).await, "{id}");
    }
    let late = MIDNIGHT + HOUR + 1_000..=i64::MAX;
    test.erase_events(&logs, &removed(1), &[], &late, at(80)).await.unwrap();
    assert!(is_there("hour").await);
    assert!(!is_there("unreadable").await, "nobody knows what it shows");
    let first = MIDNIGHT - HOUR..=MIDNIGHT;
    test.erase_events(&logs, &removed(2), &[], &first, at(80)).await.unwrap();
    assert!(!is_there("hour").await);
    assert!(is_there("begins a millionth later").await);
    test.erase_events(&logs, &removed(3), &[], &(MIDNIGHT + 1..=MIDNIGHT + 2_000), at(80)).await.unwrap();
    assert!(!is_there("begins a millionth later").await);
    assert!(test.find_frozen_answer(&theirs, "theirs").await.unwrap().is_some());
}
