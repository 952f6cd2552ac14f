//! Listens, serves with or without TLS, and drains on a signal.

use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::middleware::from_fn;
use axum_server::Handle;
use axum_server::tls_rustls::RustlsConfig;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tidegauge_app::App;
use tidegauge_connections::{ConnectionGuard, ConnectionLimits};
use tokio::signal::unix::{SignalKind, signal};

use super::resources::endpoints::grpc;

/// Streams of one HTTP/2 connection; more of them share its fate.
const HTTP2_STREAMS_MAX: u32 = 128;

const HTTP2_KEEP_ALIVE: Duration = Duration::from_secs(30);

/// How the service listens, and how long it drains.
#[derive(Clone, Debug)]
pub struct Serving {
    pub tls: Option<TlsFiles>,
    pub connections: ConnectionLimits,
    pub shutdown_grace: Duration,
}

#[derive(Clone, Debug)]
pub struct TlsFiles {
    pub cert: PathBuf,
    pub key: PathBuf,
}

/// The ports of a service.
#[derive(Debug)]
pub struct Ports {
    pub all: TcpListener,
    /// One more for OTLP over gRPC, and nothing else.
    pub otlp_grpc: Option<TcpListener>,
}

/// Opens a port, which a setting chose. Doing this before anything else is started makes a port in use the first thing
/// that is told.
pub fn listen(address: SocketAddr, setting: &str) -> anyhow::Result<TcpListener> {
    let listener = TcpListener::bind(address)
        .with_context(|| format!("cannot listen on {address}: choose another with --{setting}"))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Serves until `stop` completes, then lets running requests finish within the grace time.
pub async fn serve(
    app: &Arc<App>,
    serving: &Serving,
    ports: Ports,
    stop: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    let router = super::router(app);
    let handles: [Handle<SocketAddr>; 2] = [Handle::new(), Handle::new()];
    let rereading = reread_places_on_hangup(app);
    // The limit is one for both.
    let guard = ConnectionGuard::new(
        &serving.connections,
        app.trusted_proxies.clone(),
        app.metrics.connections.clone(),
    );
    let Ports { all, otlp_grpc } = ports;
    let [first, second] = handles.clone();
    let running = async {
        let alone = async {
            match otlp_grpc {
                Some(port) => run(&guard, serving, port, grpc_alone(router.clone()), second).await,
                None => Ok(()),
            }
        };
        tokio::try_join!(run(&guard, serving, all, router.clone(), first), alone).map(drop)
    };
    tokio::pin!(running);
    tokio::pin!(stop);
    tokio::select! {
        ended = &mut running => return ended,
        ended = rereading => return ended,
        () = &mut stop => {}
    }
    tracing::info!(connections = handles.iter().map(Handle::connection_count).sum::<usize>(), "draining");
    app.begin_draining();
    for handle in &handles {
        handle.graceful_shutdown(Some(serving.shutdown_grace));
    }
    running.await
}

/// The calls of OTLP alone: a port that many machines may reach does not open the interface to them.
fn grpc_alone(router: Router) -> Router {
    Router::new().fallback_service(router).layer(from_fn(grpc::alone))
}

async fn run(
    guard: &ConnectionGuard,
    serving: &Serving,
    listener: TcpListener,
    router: Router,
    handle: Handle<SocketAddr>,
) -> anyhow::Result<()> {
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    match &serving.tls {
        None => {
            let mut server = axum_server::from_tcp(listener)?.handle(handle).map(|inner| guard.over(inner));
            tune(server.http_builder(), serving);
            server.serve(service).await?;
        }
        Some(files) => {
            let tls = read_certificate(files).await?;
            let server = axum_server::from_tcp_rustls(listener, tls.clone())?.handle(handle);
            let mut server = server.map(|inner| guard.over(inner));
            tune(server.http_builder(), serving);
            tokio::select! {
                ended = server.serve(service) => ended?,
                ended = reload_on_hangup(&tls, files) => ended?,
            }
        }
    }
    Ok(())
}

fn tune(builder: &mut Builder<TokioExecutor>, serving: &Serving) {
    builder.http1().timer(TokioTimer::new()).header_read_timeout(serving.connections.header_timeout);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(HTTP2_STREAMS_MAX)
        .keep_alive_interval(HTTP2_KEEP_ALIVE);
}

async fn read_certificate(files: &TlsFiles) -> anyhow::Result<RustlsConfig> {
    RustlsConfig::from_pem_file(&files.cert, &files.key).await.with_context(|| {
        format!("reading the TLS certificate {} and key {}", files.cert.display(), files.key.display())
    })
}

/// A renewed certificate is taken over on SIGHUP; one that cannot be read leaves the old one in place.
async fn reload_on_hangup(tls: &RustlsConfig, files: &TlsFiles) -> anyhow::Result<()> {
    let mut hangups = signal(SignalKind::hangup())?;
    while hangups.recv().await.is_some() {
        match tls.reload_from_pem_file(&files.cert, &files.key).await {
            Ok(()) => tracing::info!("the TLS certificate was read again"),
            Err(error) => {
                tracing::error!(%error, "the new TLS certificate cannot be read; the old one stays")
            }
        }
    }
    Ok(())
}

/// A newer geo database is taken over on SIGHUP; one that cannot be used leaves the old one in place.
fn reread_places_on_hangup(app: &App) -> impl Future<Output = anyhow::Result<()>> + use<> {
    // Asked for at once, as the signals to stop are.
    let watched = app.queries.geoip.clone().map(|geoip| (geoip, signal(SignalKind::hangup())));
    async move {
        let Some((geoip, hangups)) = watched else { return std::future::pending().await };
        let mut hangups = hangups?;
        while hangups.recv().await.is_some() {
            let reread = Arc::clone(&geoip);
            match tokio::task::spawn_blocking(move || reread.read_again()).await? {
                Ok(()) => tracing::info!("the geo database was read again"),
                Err(error) => {
                    let error = format!("{error:#}");
                    tracing::error!(error, "the new geo database cannot be used; the old one stays");
                }
            }
        }
        Ok(())
    }
}

/// Lets SIGHUP no longer end the process, whether or not there is something to read again: once a signal was asked for,
/// what it does by default is gone until the process ends, through draining too.
pub fn outlive_hangups() -> anyhow::Result<()> {
    drop(signal(SignalKind::hangup()).context("SIGHUP cannot be received")?);
    Ok(())
}

/// Completes on SIGTERM or SIGINT.
pub fn stop_signal() -> impl Future<Output = ()> {
    // Asked for at once and not when somebody first waits: a signal in between would end the process.
    let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
    async move {
        let (Ok(mut terminate), Ok(mut interrupt)) = signals else {
            tracing::error!("signals cannot be received: the service can only be killed");
            return std::future::pending().await;
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    }
}
