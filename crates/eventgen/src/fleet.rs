//! The machines that made-up events come from. What all events of one pod have in common is written once, as the
//! bytes that go into each event.

use super::draws::{Draws, Skew, mix};
use super::shape::Shape;
use super::text;
use super::words::{ENVIRONMENTS, PATH_ENDS, REGIONS, SERVICES, Service};

const PODS_PER_SERVICE: u64 = 12;
const NODES_PER_REGION: u64 = 12;

/// Every service with its pods and paths.
#[derive(Debug)]
pub struct Fleet {
    services: Vec<Deployment>,
    by_traffic: Skew,
    by_use: Skew,
}

#[derive(Debug)]
struct Deployment {
    pods: Vec<Pod>,
    paths: Vec<String>,
}

/// The bytes that stand at the beginning and near the end of each event of a pod.
#[derive(Debug)]
pub struct Pod {
    pub head: Vec<u8>,
    pub tail: Vec<u8>,
}

impl Fleet {
    pub fn new(shape: Shape) -> Self {
        let services: Vec<Deployment> = SERVICES
            .iter()
            .enumerate()
            .map(|(position, service)| Deployment {
                pods: (0..PODS_PER_SERVICE)
                    .map(|pod| self::pod(position as u64, service, pod, shape))
                    .collect(),
                paths: paths(service),
            })
            .collect();
        let by_use = Skew::falling(services.first().map_or(1, |service| service.paths.len()));
        Self { by_traffic: Skew::falling(services.len()), by_use, services }
    }

    /// Where an event comes from, and the path that was asked for.
    pub fn draw(&self, draws: &mut Draws) -> (&Pod, &str) {
        let service = &self.services[self.by_traffic.draw(draws)];
        (draws.pick(&service.pods), &service.paths[self.by_use.draw(draws)])
    }
}

fn paths(service: &Service) -> Vec<String> {
    let path = |end: &str, (thing, part): (&str, &str)| format!("/v1/{thing}{}", end.replace('*', part));
    PATH_ENDS.iter().flat_map(|end| service.things.map(|thing| path(end, thing))).collect()
}

fn pod(position: u64, service: &Service, pod: u64, shape: Shape) -> Pod {
    let name = service.name;
    let region = REGIONS[((position + pod) % REGIONS.len() as u64) as usize];
    // One pod of each service tries the next version, one more is for tests.
    let environment = ENVIRONMENTS[match pod {
        0 => 1,
        1 => 2,
        _ => 0,
    }];
    let version = if pod < 2 { 1 } else { 0 };
    let mut build = Vec::new();
    text::hex::<7>(&mut build, mix(position * 2 + version + 1));
    let mut host = Vec::new();
    super::message::address(&mut host, mix(position * 100 + pod));
    let host = String::from_utf8_lossy(&host).replace('.', "-");
    let (build, node) = (String::from_utf8_lossy(&build), mix(position * 31 + pod) % NODES_PER_REGION);
    let pod_id = mix(position * 1_000 + pod) & 0xF_FFFF;
    let head = format!(
        r#""service":"{name}","host":"ip-{host}","region":"{region}","env":"{environment}","version":"4.{}.{version}""#,
        position + 10
    );
    let (pod, node) = (format!("{name}-{build}-{pod_id:05x}"), format!("{region}-n{node:02}"));
    let tail = match shape {
        Shape::Nested => format!(r#","k8s":{{"pod":"{pod}","node":"{node}"}}"#),
        Shape::Flat => format!(r#","k8s.pod":"{pod}","k8s.node":"{node}""#),
    };
    Pod { head: head.into_bytes(), tail: tail.into_bytes() }
}
