//! Who gets a place, and who is sent away.

use super::*;

fn asker(org: &str, caller: &str) -> Asker {
    Asker::new(org, caller)
}

async fn enter(lanes: &Lanes, org: &str, caller: &str) -> Result<Place> {
    lanes.enter(Lane::Interactive, &asker(org, caller)).await
}

/// Polls once: whether it has a place by now.
async fn has_entered(entering: &mut (impl Future<Output = Result<Place>> + Unpin)) -> Option<Result<Place>> {
    use futures_util::FutureExt;
    tokio::task::yield_now().await;
    entering.now_or_never()
}

#[tokio::test]
async fn one_organisation_leaves_places_for_others_and_one_caller_for_its_own() {
    let lanes = Lanes::new(8, 64);
    let mut held = Vec::new();
    for _ in 0..5 {
        held.push(enter(&lanes, "loud", "token").await.unwrap());
    }
    let mut sixth = Box::pin(enter(&lanes, "loud", "token"));
    assert!(has_entered(&mut sixth).await.is_none(), "a caller has five of eight places");
    held.push(enter(&lanes, "loud", "other").await.unwrap());
    let mut seventh = Box::pin(enter(&lanes, "loud", "other"));
    assert!(has_entered(&mut seventh).await.is_none(), "an organisation has six of eight places");
    held.push(enter(&lanes, "quiet", "token").await.unwrap());
    held.push(enter(&lanes, "quiet", "token").await.unwrap());
    // All places are taken: an organisation that has none gets one all the same.
    held.push(enter(&lanes, "third", "token").await.unwrap());
    let mut second = Box::pin(enter(&lanes, "third", "token"));
    assert!(has_entered(&mut second).await.is_none());
}

#[tokio::test]
async fn two_callers_that_flood_keep_no_other_of_their_organisation_waiting() {
    let lanes = Lanes::new(8, 64);
    let mut held = Vec::new();
    for caller in ["first", "first", "first", "second", "second", "second"] {
        held.push(enter(&lanes, "org", caller).await.unwrap());
    }
    let mut flood: Vec<_> =
        ["first", "second"].map(|caller| Box::pin(enter(&lanes, "org", caller))).into_iter().collect();
    for entering in &mut flood {
        assert!(has_entered(entering).await.is_none());
    }
    let third = has_entered(&mut Box::pin(enter(&lanes, "org", "third"))).await;
    assert!(third.as_ref().is_some_and(Result::is_ok), "although its organisation has all that it may have");
    let mut again = Box::pin(enter(&lanes, "org", "third"));
    assert!(has_entered(&mut again).await.is_none(), "one, and not as many as it likes");
    for entering in &mut flood {
        assert!(has_entered(entering).await.is_none(), "nor does it help those that flood");
    }
    drop(third);
    assert!(has_entered(&mut again).await.is_some_and(|place| place.is_ok()), "then the next");
}

#[tokio::test]
async fn many_callers_of_an_organisation_take_no_places_of_others() {
    let lanes = Lanes::new(8, 200);
    let tokens: Vec<String> = (0..100).map(|number| format!("token {number}")).collect();
    let mut held = Vec::new();
    let mut waiting = Vec::new();
    for token in &tokens {
        let mut entering = Box::pin(enter(&lanes, "loud", token));
        let entered = has_entered(&mut entering).await;
        match entered {
            Some(place) => held.push(place.unwrap()),
            None => waiting.push(entering),
        }
    }
    assert_eq!((held.len(), waiting.len()), (6 + ADDED_PER_ORG, 90));
    // What others had before they still have: two places, one for each that has none, and one more for each caller.
    let mut others = Vec::new();
    for (org, caller) in [("quiet", "a"), ("quiet", "a"), ("quiet", "b"), ("third", "a"), ("fourth", "a")] {
        let place = has_entered(&mut Box::pin(enter(&lanes, org, caller))).await;
        others.push(place.unwrap_or_else(|| panic!("{caller} of {org} waits")).unwrap());
    }
    let loud = || lanes.interactive.lock().orgs["loud"];
    assert_eq!(loud(), 6 + ADDED_PER_ORG);
    drop(others);
    assert_eq!(loud(), 6 + ADDED_PER_ORG, "nor when others have left");
    held.truncate(3);
    assert_eq!(loud(), 6 + ADDED_PER_ORG, "whoever goes is followed by one that waits");
    drop((waiting, held));
    let state = lanes.interactive.lock();
    assert_eq!((state.running, state.added, state.added_of_orgs.len(), state.callers.len()), (0, 0, 0, 0));
}

#[tokio::test]
async fn the_next_place_goes_to_who_has_fewest() {
    let lanes = Lanes::new(4, 64);
    let mut loud = Vec::new();
    for caller in ["a", "a", "b"] {
        loud.push(enter(&lanes, "loud", caller).await.unwrap());
    }
    let quiet = enter(&lanes, "quiet", "token").await.unwrap();
    let mut of_loud = Box::pin(enter(&lanes, "loud", "a"));
    let mut of_quiet = Box::pin(enter(&lanes, "quiet", "token"));
    assert!(has_entered(&mut of_loud).await.is_none());
    assert!(has_entered(&mut of_quiet).await.is_none());
    // Its caller still has another one that runs, so that no place is added for it.
    drop(loud.remove(0));
    let place = has_entered(&mut of_quiet).await;
    assert!(place.as_ref().is_some_and(Result::is_ok), "it came later and had less");
    assert!(has_entered(&mut of_loud).await.is_none());
    drop(quiet);
    assert!(has_entered(&mut of_loud).await.is_some_and(|place| place.is_ok()));
}

#[tokio::test]
async fn of_too_many_that_wait_the_one_with_most_is_sent_away() {
    let lanes = Lanes::new(1, 3);
    let first = enter(&lanes, "loud", "token").await.unwrap();
    let mut waiting: Vec<_> = (0..3).map(|_| Box::pin(enter(&lanes, "loud", "token"))).collect();
    for entering in &mut waiting {
        assert!(has_entered(entering).await.is_none());
    }
    assert!(matches!(enter(&lanes, "loud", "token").await, Err(Error::Busy)), "who waits most is sent away");
    // The quiet one runs beside it; its second query waits, in the place of the loud one's last.
    let running = enter(&lanes, "quiet", "token").await.unwrap();
    let mut quiet = Box::pin(enter(&lanes, "quiet", "token"));
    assert!(has_entered(&mut quiet).await.is_none());
    let sent_away = has_entered(&mut waiting[2]).await;
    assert!(matches!(sent_away, Some(Err(Error::Busy))));
    assert!(has_entered(&mut waiting[0]).await.is_none());
    drop((running, first));
    let next = has_entered(&mut waiting[0]).await;
    assert!(next.is_some_and(|place| place.is_ok()));
}

#[tokio::test]
async fn who_goes_away_leaves_nothing_behind() {
    let lanes = Lanes::new(1, 8);
    let first = enter(&lanes, "org", "token").await.unwrap();
    let mut gone = Box::pin(enter(&lanes, "org", "token"));
    assert!(has_entered(&mut gone).await.is_none());
    let mut stays = Box::pin(enter(&lanes, "org", "token"));
    assert!(has_entered(&mut stays).await.is_none());
    // One is given the place and goes away without looking.
    drop(first);
    drop(gone);
    let place = has_entered(&mut stays).await;
    assert!(place.is_some_and(|place| place.is_ok()));
    let state = lanes.interactive.lock();
    assert_eq!((state.running, state.orgs.len(), state.callers.len(), state.waiting.len()), (0, 0, 0, 0));
}
