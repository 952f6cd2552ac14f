//! Annotations.

use axiom_rs::Client;
use axiom_rs::annotations::requests::{Create, List, Update};

use crate::checks::{check_refusal, time};

pub async fn annotations(client: &Client) {
    let start = time("2026-06-01T12:00:00Z").fixed_offset();
    let end = time("2026-06-01T12:05:00Z").fixed_offset();
    let wanted = Create::builder().with_type("release").expect("a type");
    let wanted = wanted.with_datasets(vec!["rust-web".to_owned()]).expect("datasets").with_title("Release 7");
    let wanted = wanted.with_time(start).expect("a time").build();
    let made = client.annotations().create(wanted).await.expect("an annotation");
    assert!(made.id.starts_with("ann_"), "{made:?}");
    assert_eq!((made.annotation_type.as_str(), made.title.as_deref()), ("release", Some("Release 7")));
    assert_eq!((made.time, made.end_time, &made.description), (start, None, &None));
    assert_eq!(client.annotations().get(&made.id).await.expect("the annotation"), made);

    let datasets = vec!["rust-none".to_owned(), "rust-web".to_owned()];
    let list = List::builder().with_datasets(datasets).with_start(start).expect("a start");
    let listed = client.annotations().list(list.with_end(end).expect("an end").build()).await;
    assert_eq!(listed.expect("a list"), [made.clone()]);
    let none = List::builder().with_datasets(vec!["rust-none".to_owned()]).build();
    assert_eq!(client.annotations().list(none).await.expect("a list"), []);

    let update = Update::builder().with_end_time(end).expect("an end").build().expect("a request");
    let changed = client.annotations().update(&made.id, update).await.expect("a change");
    assert_eq!((changed.end_time, &changed.title, changed.time), (Some(end), &made.title, start));
    client.annotations().delete(&made.id).await.expect("a deletion");
    check_refusal(client.annotations().get(&made.id).await, 404, "annotation not found");
}
