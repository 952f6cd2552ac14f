//! Who keeps a place when all are taken, and who gives one up.

use super::*;

/// Opens so many connections for an attack that what it displaces would be gone.
const MANY: usize = 50;

fn address(last: u8) -> IpAddr {
    IpAddr::from([10, 0, 0, last])
}

fn table(max: usize) -> Arc<Table> {
    Table::new(max, TrustedProxies::default(), ConnectionMetrics::default())
}

/// A connection by which somebody without a token was answered.
fn anonymous(table: &Arc<Table>, of: u8) -> Place {
    let place = table.enter(address(of));
    place.is_answered();
    place
}

/// A connection by which somebody with a token was answered.
fn established(table: &Arc<Table>, of: u8) -> Place {
    let place = anonymous(table, of);
    place.state.establish();
    place
}

/// The same with a request that is worked on.
fn busy(place: Place) -> Place {
    place.state.request_begins();
    place
}

/// How many have lost their places.
fn lost(places: &[Place]) -> usize {
    places.iter().filter(|place| place.is_lost()).count()
}

#[test]
fn who_finishes_no_request_shuts_out_itself() {
    let table = table(8);
    let answered = anonymous(&table, 1);
    let waiting = table.enter(address(2));
    let half_open: Vec<Place> = (0..6).map(|_| table.enter(address(3))).collect();
    let new = table.enter(address(4));
    assert!(half_open[0].is_lost() && lost(&half_open) == 1, "the oldest of who has most");
    assert!(!answered.is_lost() && !waiting.is_lost() && !new.is_lost());
    let same = table.enter(address(3));
    assert!(!same.is_lost(), "also where all come from one address the newest is served");
    assert_eq!(table.lock().by_number.len(), 8);
}

#[test]
fn who_has_most_answered_connections_shuts_out_itself() {
    for attacking in [anonymous, established] {
        let table = table(16);
        let others = [anonymous(&table, 1), busy(anonymous(&table, 1)), established(&table, 2)];
        let mut flood = Vec::new();
        for number in 0..MANY {
            flood.push(attacking(&table, 9));
            // Asks on all that it has, so that they were silent for less long than others'.
            flood.iter().for_each(Place::is_answered);
            assert_eq!(lost(&others), 0, "after {number}: others have fewer");
            assert!(!flood[number].is_lost());
        }
    }
}

#[test]
fn a_new_connection_keeps_its_place_until_its_first_answer() {
    for attacking in [anonymous, established] {
        let table = table(64);
        let mut flood: Vec<Place> = (0..64).map(|_| attacking(&table, 9)).collect();
        let new = [busy(table.enter(address(1))), table.enter(address(2))];
        for number in 0..MANY {
            flood.push(attacking(&table, 9));
            flood.push(table.enter(address(9)));
            assert_eq!(lost(&new), 0, "after {number}: a slow answer, and a head that comes late");
        }
        new[1].is_overdue();
        let further: Vec<Place> = (0..MANY * 2).map(|_| attacking(&table, 9)).collect();
        assert!(lost(&further) > 0 && lost(&new) == 0, "afterwards it still has fewer");
    }
}

#[test]
fn of_new_connections_those_with_a_request_go_last() {
    let table = table(8);
    let slow = busy(table.enter(address(1)));
    let silent: Vec<Place> = (2..9).map(|of| table.enter(address(of))).collect();
    let further: Vec<Place> = (10..16).map(|of| table.enter(address(of))).collect();
    assert!(!slow.is_lost() && lost(&silent) == 6 && lost(&further) == 0);
}

#[test]
fn a_request_is_not_cut_while_who_has_more_has_an_idle_connection() {
    let table = table(8);
    let few: Vec<Place> = (0..2).map(|_| busy(anonymous(&table, 1))).collect();
    let many: Vec<Place> = (0..4).map(|_| busy(anonymous(&table, 2))).collect();
    let idle: Vec<Place> = (0..2).map(|_| anonymous(&table, 2)).collect();
    let _new: Vec<Place> = (0..2).map(|_| anonymous(&table, 3)).collect();
    assert!(lost(&idle) == 2 && lost(&few) == 0 && lost(&many) == 0);
    let _newer = anonymous(&table, 4);
    assert!(
        many[0].is_lost() && lost(&many) == 1 && lost(&few) == 0,
        "then the address with most all the same"
    );
}

#[test]
fn known_callers_are_not_displaced_by_strangers_from_many_addresses() {
    let table = table(16);
    let office: Vec<Place> = (0..10).map(|_| established(&table, 1)).collect();
    let strangers: Vec<Place> = (2..60).map(|of| anonymous(&table, of)).collect();
    assert_eq!(lost(&office), 0, "although it has most");
    assert_eq!(lost(&strangers), strangers.len() - 6, "and the others have what is left");
    let tokens: Vec<Place> = (60..160).map(|of| established(&table, of)).collect();
    let last = &strangers[strangers.len() - 2..];
    assert!(lost(&tokens) > 0 && lost(last) == 0, "callers without a token have their reserve");
}

#[test]
fn a_trusted_proxy_may_have_the_whole_table() {
    let proxies = "10.0.0.1".parse().unwrap();
    let table = Table::new(8, proxies, ConnectionMetrics::default());
    let of_proxy: Vec<Place> = (0..8).map(|_| table.enter(address(1))).collect();
    let working: Vec<Place> = (0..4).map(|_| busy(table.enter(address(1)))).collect();
    assert!(lost(&of_proxy[..4]) == 4 && lost(&of_proxy) == 4, "those that were silent for longest");
    let direct = busy(table.enter(address(2)));
    let kept: Vec<Place> = (0..MANY).map(|_| table.enter(address(1))).collect();
    assert!(!direct.is_lost(), "nobody is shut out by it");
    assert_eq!(lost(&working), 0, "nor by who asks for nothing behind it");
    let kept: Vec<Place> = kept.into_iter().filter(|place| !place.is_lost()).collect();
    let half_open: Vec<Place> = (0..MANY).map(|_| table.enter(address(3))).collect();
    assert!(!direct.is_lost() && lost(&half_open) == MANY - 1);
    assert_eq!((lost(&kept), lost(&working)), (1, 0), "who finishes no request has one place of it");
}

#[test]
fn connections_are_counted_and_so_is_why_they_end() {
    let metrics = ConnectionMetrics::default();
    let table = Table::new(1, TrustedProxies::default(), metrics.clone());
    let crowded = table.enter(address(1));
    let silent = table.enter(address(2));
    // One that has lost its place ends for that reason, whatever is noticed first.
    crowded.cut(Cut::Unread);
    silent.cut(Cut::Silent);
    silent.cut(Cut::Silent);
    let counts = [Cut::Crowded, Cut::Silent, Cut::Unread].map(|cut| metrics.count_of(cut));
    assert_eq!(counts, [1, 1, 0]);
}
