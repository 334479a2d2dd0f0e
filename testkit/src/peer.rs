//! An HTTP server on loopback that answers from a script and remembers what it was sent.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// A request that arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// The path, with its query.
    pub path: String,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

impl Received {
    /// The header's value, if there is one.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// What is sent back: the whole response, byte for byte. Then the connection is closed.
#[derive(Debug, Clone)]
pub struct Response(pub Vec<u8>);

impl Response {
    /// A response with this status and content type.
    #[must_use]
    pub fn new(status: u16, kind: &str, body: &str) -> Self {
        Self::with_headers(status, &[("content-type", kind)], body)
    }

    /// A response with these headers.
    #[must_use]
    pub fn with_headers(status: u16, headers: &[(&str, &str)], body: &str) -> Self {
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status} Scripted\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n"
        );
        Self([head.as_bytes(), body.as_bytes()].concat())
    }

    /// JSON.
    #[must_use]
    pub fn json(status: u16, body: &str) -> Self {
        Self::new(status, "application/json", body)
    }

    /// A stream of server-sent events with this data.
    #[must_use]
    pub fn events(data: &[&str]) -> Self {
        let body: String = data.iter().map(|data| format!("data: {data}\n\n")).collect();
        Self::new(200, "text/event-stream", &body)
    }

    /// The first bytes of the response only: the connection breaks.
    #[must_use]
    pub fn cut(mut self, bytes: usize) -> Self {
        self.0.truncate(bytes);
        self
    }
}

/// The server. It ends when it is dropped.
#[derive(Debug)]
pub struct Peer {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    is_over: Arc<AtomicBool>,
}

impl Peer {
    /// Starts a server whose answers `script` makes; it is told how many requests came before.
    ///
    /// # Panics
    /// There is no loopback.
    #[must_use]
    pub fn start(script: impl Fn(usize, &Received) -> Response + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port on loopback");
        let address = listener.local_addr().expect("a bound port");
        let (received, is_over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let peer = Self { address, received: received.clone(), is_over: is_over.clone() };
        let script = Arc::new(script);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
                let (script, received) = (script.clone(), received.clone());
                // A client that goes away is its own affair.
                thread::spawn(move || drop(serve(stream, script.as_ref(), &received)));
            }
        });
        peer
    }

    /// Its address: `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What has arrived so far, in order.
    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Wakes the listener.
        drop(TcpStream::connect(self.address));
    }
}

fn serve(
    stream: TcpStream,
    script: &(impl Fn(usize, &Received) -> Response + ?Sized),
    received: &Mutex<Vec<Received>>,
) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let request = Received { path, headers, body: String::from_utf8_lossy(&body).into_owned() };
    let before = {
        let mut received = received.lock().unwrap_or_else(PoisonError::into_inner);
        received.push(request.clone());
        received.len() - 1
    };
    reader.into_inner().write_all(&script(before, &request).0)
}
