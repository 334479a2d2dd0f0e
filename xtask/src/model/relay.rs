//! Between the programs and the server: passes on what they say, and remembers it.

use std::io::{Read, Write};
use std::net::TcpStream;

use prowess_testkit::peer::{Peer, Received, Response};

/// A relay to the server at an address.
pub(super) fn start(address: &str) -> Peer {
    let address = address.to_owned();
    Peer::start(move |_, request| match pass_on(&address, request) {
        Ok(bytes) => Response(bytes),
        Err(error) => Response::json(502, &format!("{{\"error\": \"{error}\"}}")),
    })
}

fn pass_on(address: &str, request: &Received) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(address)?;
    let Received { path, body, .. } = request;
    let length = body.len();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
         connection: close\r\n\r\n{body}"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(answer)
}
