//! Names are looked up once for each send, all their addresses are checked, and those are connected to.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tidegauge_egress::EgressError;
use tidegauge_egress::resolver::{Lookup, Resolver};

use crate::receiver::{Receiver, status};
use crate::{local, send, strict, with_names};

/// Answers each look-up with the next list of addresses, and the last one for ever.
#[derive(Debug)]
struct Script {
    answers: Vec<Vec<&'static str>>,
    asked: Arc<AtomicUsize>,
}

impl Script {
    fn new(answers: &[&[&'static str]]) -> (Self, Arc<AtomicUsize>) {
        let asked = Arc::new(AtomicUsize::new(0));
        let answers = answers.iter().map(|answer| answer.to_vec()).collect();
        (Self { answers, asked: Arc::clone(&asked) }, asked)
    }
}

impl Resolver for Script {
    fn resolve<'a>(&'a self, _: &'a str, port: u16) -> Lookup<'a> {
        let turn = self.asked.fetch_add(1, Ordering::SeqCst).min(self.answers.len() - 1);
        let found =
            self.answers[turn].iter().map(|text| SocketAddr::new(text.parse().unwrap(), port)).collect();
        Box::pin(std::future::ready(Ok(found)))
    }
}

#[tokio::test]
async fn a_name_that_stands_for_a_private_address_is_refused_on_send() {
    for answer in [
        &["127.0.0.1"][..],
        &["10.0.0.1"],
        &["::ffff:192.168.0.1"],
        &["fe80::1"],
        &["169.254.169.254"],
        // One address that everybody can reach does not make up for the other.
        &["93.184.215.14", "10.0.0.1"],
    ] {
        let (script, _) = Script::new(&[answer]);
        let client = with_names(strict(), script);
        // On save only the name is there to be judged.
        assert!(client.check("https://hooks.example.com/").is_ok());
        let sent = send(&client, "https://hooks.example.com/").await.map(|_| ());
        assert_eq!(sent, Err(EgressError::NotPublic("hooks.example.com".to_owned())), "{answer:?}");
    }
}

#[tokio::test]
async fn a_name_without_addresses_is_unknown() {
    let (script, _) = Script::new(&[&[]]);
    let sent = send(&with_names(strict(), script), "https://hooks.example.com/").await.map(|_| ());
    assert_eq!(sent, Err(EgressError::UnknownHost("hooks.example.com".to_owned())));
}

#[tokio::test]
async fn a_name_that_changes_between_check_and_use_leads_nowhere_else() {
    let checked = Receiver::start(status("204 No Content", "")).await;
    // What would be found by looking again is another address, at which nobody may be reached.
    let (script, asked) = Script::new(&[&["127.0.0.1"], &["10.0.0.1"]]);
    let client = with_names(local(), script);
    let url = format!("http://changing.example.com:{}/", checked.port);
    assert_eq!(send(&client, &url).await.unwrap().status, 204);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    assert!(checked.requests()[0].contains("host: changing.example.com"), "{:?}", checked.requests());
    // The next send looks again, and sees what the name stands for now.
    assert!(matches!(send(&client, &url).await, Err(EgressError::NotPublic(_))));
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    assert_eq!(checked.requests().len(), 1);
}

#[tokio::test]
async fn a_name_with_a_dot_at_its_end_is_pinned_too() {
    let receiver = Receiver::start(status("204 No Content", "")).await;
    let (script, asked) = Script::new(&[&["127.0.0.1"]]);
    let url = format!("http://Hooks.Example.COM.:{}/", receiver.port);
    assert_eq!(send(&with_names(local(), script), &url).await.unwrap().status, 204);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}
