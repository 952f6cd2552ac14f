//! What a query does inside one batch: a function that is slow lets others go on, and stops when nobody waits for it.

use std::fmt::Write;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tidegauge_engine::{Answer, Asker, Engine, Error, Figures, Options, Place, Places, Unanswered};
use tidegauge_store::DatasetState;
use tokio::sync::Notify;

use crate::support::engines::{engine, tried_with};
use crate::support::house::{House, Placement, START, block_on};
use crate::support::reply::value;

/// All in one block.
const EVENTS: usize = 16_000;

/// A function that takes its time for each row, and counts them.
#[derive(Default)]
struct Slow {
    rows: AtomicUsize,
    has_begun: Notify,
}

impl Places for Slow {
    fn find(&self, _: IpAddr) -> Option<Place> {
        self.rows.fetch_add(1, Ordering::SeqCst);
        self.has_begun.notify_one();
        (0..5_000).for_each(|_| std::hint::spin_loop());
        None
    }
}

/// Is told when a query is over that has no answer.
#[derive(Default)]
struct Over(Notify);

impl Unanswered for Over {
    fn ended(&self, _: &Figures) {
        self.0.notify_one();
    }
}

async fn events(house: &House) -> Arc<DatasetState> {
    let mut lines = String::new();
    for number in 0..EVENTS {
        let address = format!("10.{}.{}.{}", number / 65_536, number / 256 % 256, number % 256);
        let _ = writeln!(lines, r#"{{"_time":{START},"n":{number},"ip":"{address}"}}"#);
    }
    house.filled(&[lines], Placement::Segments).await.state
}

/// One thread, so that who does not let others go on keeps them waiting to its end.
fn narrow(house: &House) -> Engine {
    engine(house, |settings| {
        settings.threads = 1;
        settings.running_max = 4;
    })
}

const SLOW: &str =
    "logs | extend place = tostring(geo_info_from_ip_address(ip)) | where place contains 'country' | count";

async fn slow_query(
    engine: &Engine,
    state: &Arc<DatasetState>,
    slow: &Arc<Slow>,
    over: &Arc<Over>,
) -> Result<Answer, Error> {
    let options = Options {
        asker: Asker::new("loud", "token"),
        places: Some(Arc::<Slow>::clone(slow)),
        unanswered: Some(Arc::<Over>::clone(over)),
        ..Options::at(START)
    };
    tried_with(engine, state, SLOW, options).await
}

async fn quick_query(engine: &Engine, state: &Arc<DatasetState>) {
    let options = Options { asker: Asker::new("quiet", "token"), ..Options::at(START) };
    let answer = tried_with(engine, state, "logs | where n % 1000 == 7 | count", options).await.unwrap();
    assert_eq!(value(&answer.tables[0].fields[0], 0), 16);
}

#[test]
fn a_function_that_is_slow_on_one_batch_lets_others_go_on() {
    block_on(async {
        let house = House::new().await;
        let (engine, state) = (narrow(&house), events(&house).await);
        let (slow, over) = (Arc::new(Slow::default()), Arc::new(Over::default()));
        let loud = slow_query(&engine, &state, &slow, &over);
        tokio::pin!(loud);
        tokio::select! {
            answer = &mut loud => panic!("{answer:?}"),
            () = slow.has_begun.notified() => {}
        }
        quick_query(&engine, &state).await;
        let rows = slow.rows.load(Ordering::SeqCst);
        assert!(rows < EVENTS / 2, "the other was answered after {rows} of {EVENTS} rows");
        let answer = loud.await.unwrap();
        assert_eq!(value(&answer.tables[0].fields[0], 0), EVENTS);
        // A stretch that took too long is computed again, and that seldom.
        let rows = slow.rows.load(Ordering::SeqCst);
        assert!((EVENTS..2 * EVENTS).contains(&rows), "{rows} rows were computed for {EVENTS}");
    });
}

#[test]
fn a_query_that_nobody_waits_for_stops_in_the_middle_of_a_batch() {
    block_on(async {
        let house = House::new().await;
        let (engine, state) = (narrow(&house), events(&house).await);
        let (slow, over) = (Arc::new(Slow::default()), Arc::new(Over::default()));
        let mut loud = Box::pin(slow_query(&engine, &state, &slow, &over));
        tokio::select! {
            answer = &mut loud => panic!("{answer:?}"),
            () = slow.has_begun.notified() => {}
        }
        drop(loud);
        over.0.notified().await;
        let rows = slow.rows.load(Ordering::SeqCst);
        assert!(rows < EVENTS / 2, "it was computed for {rows} of {EVENTS} rows");
        quick_query(&engine, &state).await;
        assert_eq!(slow.rows.load(Ordering::SeqCst), rows, "it went on after it was over");
        assert_eq!(engine.memory_used().0, 0);
    });
}

/// Each row has a regular expression of its own, and making one ready takes milliseconds: all of a block take minutes.
#[test]
fn a_regular_expression_for_each_row_stops_when_nobody_waits() {
    const PATTERNS: &str = r"logs | where ip matches regex strcat(ip, '(\\w{1,90})') | count";
    block_on(async {
        let house = House::new().await;
        let (engine, state) = (narrow(&house), events(&house).await);
        let over = Arc::new(Over::default());
        let options = Options {
            asker: Asker::new("quiet", "token"),
            unanswered: Some(Arc::<Over>::clone(&over)),
            time_max: Duration::from_millis(100),
            ..Options::at(START)
        };
        let late = tried_with(&engine, &state, PATTERNS, options).await.unwrap_err();
        assert!(matches!(late, Error::Time { .. }), "{late}");
        over.0.notified().await;
        quick_query(&engine, &state).await;
    });
}
