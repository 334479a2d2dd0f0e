use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::pages::Page;
use crate::server::Server;
use crate::sessions::Sessions;
use crate::{end, sessions};

/// Where MCP is spoken.
const PATH: &str = "/mcp";
/// How long answers in flight may take once the server is to end.
const GRACE: Duration = Duration::from_secs(10);
/// The largest request.
const MAX_REQUEST: usize = 4 * 1024 * 1024;
/// How long a session is kept of which nothing is heard: clients don't all begin a new one.
const EXPIRY: Duration = Duration::from_secs(24 * 60 * 60);
/// How many sessions are kept.
const MAX_SESSIONS: usize = 1_000;

type Service = StreamableHttpService<Server, LocalSessionManager>;
type Body = BoxBody<Bytes, Infallible>;

/// Where a server listens, and to whom.
///
/// ```
/// use std::net::SocketAddr;
/// use prowess_mcp::HttpOptions;
///
/// let options = HttpOptions::new(SocketAddr::from(([127, 0, 0, 1], 8808))).host("skills.example.com");
/// ```
#[derive(Debug, Clone)]
pub struct HttpOptions {
    address: SocketAddr,
    hosts: Vec<String>,
    origins: Vec<String>,
    expiry: Duration,
    max_sessions: usize,
}

impl HttpOptions {
    /// Listens at an address; at port 0 the system chooses one. Requests must name a loopback host, and those of a
    /// browser come from a page of one: no other page reaches the server, whatever a name resolves to.
    #[must_use]
    pub fn new(address: SocketAddr) -> Self {
        let loopback = ["localhost", "127.0.0.1", "::1"];
        let pages = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
        Self {
            address,
            hosts: loopback.map(str::to_owned).into(),
            origins: pages.map(str::to_owned).into(),
            expiry: EXPIRY,
            max_sessions: MAX_SESSIONS,
        }
    }

    /// Lets requests name this host too: a name or an address, or either with a port.
    #[must_use]
    pub fn host(mut self, host: impl Into<String>) -> Self {
        self.hosts.push(host.into());
        self
    }

    /// Lets pages of this origin in too, and answers their browsers accordingly, for example `https://app.example.com:443`.
    #[must_use]
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into());
        self
    }

    /// Ends a session of which nothing has been heard for so long; default: a day. The revision 2026-07-28 has none.
    #[must_use]
    pub fn expiry(mut self, expiry: Duration) -> Self {
        self.expiry = expiry;
        self
    }

    /// Sets how many sessions are kept; default: 1,000. One more ends that of which nothing has been heard for the
    /// longest time.
    #[must_use]
    pub fn max_sessions(mut self, number: usize) -> Self {
        self.max_sessions = number;
        self
    }
}

/// Serves any number of clients over streamable HTTP, at the path `/mcp`, until the process is told to end: then no
/// connection is accepted any more, and answers in flight have ten seconds. `ready` is told the address.
///
/// A request of more than 4 MiB is refused.
///
/// # Errors
/// If the address can't be had, or the system gives no runtime.
pub fn serve_http(server: Server, options: HttpOptions, ready: impl FnOnce(SocketAddr)) -> io::Result<()> {
    // One client's subscriptions must not hold up another's answer.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(options.address).await?;
        let end = end::of_process()?;
        ready(listener.local_addr()?);
        serve(server, &options, listener, end).await;
        Ok(())
    })
}

async fn serve(server: Server, options: &HttpOptions, listener: TcpListener, end: impl Future<Output = ()>) {
    let sessions_end = CancellationToken::new();
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(&options.hosts)
        .with_allowed_origins(&options.origins)
        .with_max_request_body_bytes(MAX_REQUEST)
        .with_cancellation_token(sessions_end.clone());
    let connections = server.clone();
    let sessions = Arc::new(Sessions::new(options.expiry, options.max_sessions));
    let service = Service::new(move || Ok(connections.connection()), sessions.manager.clone(), config);
    let face = Face { service, sessions };
    let (graceful, in_flight) = (GracefulShutdown::new(), watch::Sender::new(()));
    let mut end = std::pin::pin!(end);
    loop {
        let stream = tokio::select! {
            () = &mut end => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                // Too many open files, or a client that went: neither is forever.
                Err(_) => {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
        };
        let (face, in_flight) = (face.clone(), in_flight.clone());
        let answer = service_fn(move |request| answer(face.clone(), in_flight.subscribe(), request));
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .serve_connection(TokioIo::new(stream), answer);
        let connection = graceful.watch(connection);
        // How a client's connection ends concerns nobody else.
        tokio::spawn(async move { drop(connection.await) });
    }
    drop(listener);
    server.shelf().close();
    let finished = async {
        in_flight.closed().await;
        sessions_end.cancel();
        graceful.shutdown().await;
    };
    // What is not finished in time is cut off.
    drop(tokio::time::timeout(GRACE, finished).await);
}

/// What answers.
#[derive(Clone)]
struct Face {
    service: Service,
    sessions: Arc<Sessions>,
}

/// Answers a request. A subscriber of what is in flight lives until a call's answer is sent, whole or not.
async fn answer(
    face: Face,
    in_flight: watch::Receiver<()>,
    request: Request<Incoming>,
) -> Result<Response<Body>, Infallible> {
    if request.uri().path() != PATH {
        let mut response = Response::new(Empty::new().boxed());
        *response.status_mut() = StatusCode::NOT_FOUND;
        return Ok(response);
    }
    let (method, session) = (request.method().clone(), sessions::named(request.headers()));
    let page = Page::of(&request);
    let mut response = face.service.handle(request).await;
    if let Some(page) = page {
        response = page.let_in(response);
    }
    let session = session.or_else(|| sessions::named(response.headers()));
    if let Some(session) = session.filter(|_| response.status().is_success()) {
        face.sessions.hear(session).await;
    }
    if method == Method::DELETE && response.status() == StatusCode::ACCEPTED {
        // A session has ended. To clients that tell successes apart, 202 is none here.
        *response.status_mut() = StatusCode::NO_CONTENT;
    }
    if method != Method::POST {
        return Ok(response);
    }
    Ok(response.map(|body| {
        let keep = move |frame| {
            let _ = &in_flight;
            frame
        };
        body.map_frame(keep).boxed()
    }))
}
