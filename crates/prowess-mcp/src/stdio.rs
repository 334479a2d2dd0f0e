use std::io;
use std::sync::Arc;

use rmcp::model::JsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, ServiceExt};

use crate::end;
use crate::server::Server;
use crate::shelf::Shelf;

/// Serves one client over stdin and stdout until it closes them, or the process is told to end: then nothing more is
/// read, and answers in flight have five seconds.
///
/// Only messages of the protocol are written to stdout. A message that is no JSON, or larger than 16 MiB, is passed
/// over, and so is whatever comes before the first request.
///
/// # Errors
/// If the system gives no runtime, or stdout can't be written to before there is a session.
pub fn serve_stdio(server: Server) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let served = runtime.block_on(async {
        let (end, shelf) = (end::of_process()?, server.shelf().clone());
        let (stdin, stdout) = rmcp::transport::stdio();
        let lines = AsyncRwTransport::new_server(stdin, stdout);
        let client = Client { lines, shelf: shelf.clone(), has_begun: false };
        tokio::spawn(async move {
            end.await;
            shelf.close();
        });
        match server.serve(client).await {
            Ok(service) => service.waiting().await.map(drop).map_err(io::Error::other),
            // A client that leaves without a word has broken nothing.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        }
    });
    // A read of stdin can't be interrupted; nothing waits for it.
    runtime.shutdown_background();
    served
}

/// Lines without what comes before the first request, as the SDK takes anything else there for the end, and without
/// what comes after the end.
struct Client<T> {
    lines: T,
    shelf: Arc<Shelf>,
    has_begun: bool,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Client<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.lines.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = tokio::select! {
                message = self.lines.receive() => message,
                () = self.shelf.closed() => None,
            };
            if message.is_none() {
                // Nothing waits for subscriptions, which have no other end.
                self.shelf.close();
            }
            let message = message?;
            self.has_begun |= matches!(message, JsonRpcMessage::Request(_));
            if self.has_begun {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.lines.close().await
    }
}
