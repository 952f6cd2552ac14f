//! Looking names up: by the system, or by what a test says. And the other side of it: a client that was told which
//! addresses to connect to, and asks nobody.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// The addresses of a name, once they are known.
pub type Lookup<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send + 'a>>;

/// Who knows the addresses of names.
pub trait Resolver: Send + Sync + fmt::Debug {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Lookup<'a>;
}

/// The system's own way of looking names up.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Lookup<'a> {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
    }
}

/// The addresses that were checked. Whatever name a client asks for, it gets these: if it could look a name up again,
/// another answer could lead elsewhere.
pub(crate) struct Pinned(pub(crate) Vec<SocketAddr>);

impl Resolve for Pinned {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(std::future::ready(Ok(addresses)))
    }
}
