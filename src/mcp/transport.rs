//! The pipes, held open until every request has its answer.

use std::collections::HashSet;
use std::future::Future;

use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{Stdin, Stdout, stdin, stdout};

/// Newline-delimited JSON on stdin and stdout. Once stdin has ended it waits
/// until all requests are answered or cancelled, however long a render takes.
pub(super) struct Stdio {
    pipes: AsyncRwTransport<RoleServer, Stdin, Stdout>,
    open: HashSet<RequestId>,
    ended: bool,
}

impl Stdio {
    pub(super) fn new() -> Self {
        Self {
            pipes: AsyncRwTransport::new(stdin(), stdout()),
            open: HashSet::new(),
            ended: false,
        }
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        match &message {
            JsonRpcMessage::Response(response) => {
                self.open.remove(&response.id);
            }
            JsonRpcMessage::Error(error) => {
                if let Some(id) = &error.id {
                    self.open.remove(id);
                }
            }
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => {}
        }
        self.pipes.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        if !self.ended {
            match self.pipes.receive().await {
                Some(message) => {
                    self.note(&message);
                    return Some(message);
                }
                None => self.ended = true,
            }
        }
        if !self.open.is_empty() {
            // The service asks again after each message that it sends.
            std::future::pending::<()>().await;
        }
        None
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.pipes.close().await
    }
}

impl Stdio {
    fn note(&mut self, message: &RxJsonRpcMessage<RoleServer>) {
        match message {
            JsonRpcMessage::Request(request) => {
                self.open.insert(request.id.clone());
            }
            // A cancelled request gets no answer.
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.open.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }
}
