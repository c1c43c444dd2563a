use std::fmt;

use serde::Deserialize;
use serde_json::Value;

/// Error of starting a node or of a request to it.
#[derive(Debug)]
pub enum Error {
    /// The command could not be run, or exited before it printed its ready line.
    Start(String),
    /// The response is a JSON-RPC error object.
    Rpc(RpcError),
    /// The control API responded with a status other than 2xx.
    Control { status: u16, body: String },
    /// There was no response, or it could not be decoded.
    Transport(String),
    /// No request matched before the timeout.
    Timeout(String),
}

/// Error object of a JSON-RPC response.
#[derive(Debug, Clone, Deserialize)]
pub struct RpcError {
    pub code: i64,
    pub message: String,
    #[serde(default)]
    pub data: Value,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Start(reason) => write!(f, "standin did not start: {reason}"),
            Error::Rpc(error) => write!(f, "{} ({})", error.message, error.code),
            Error::Control { status, body } => write!(f, "HTTP {status}: {body}"),
            Error::Transport(reason) => f.write_str(reason),
            Error::Timeout(query) => write!(f, "no request matched {query}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<ureq::Error> for Error {
    fn from(error: ureq::Error) -> Self {
        Error::Transport(error.to_string())
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Error::Transport(error.to_string())
    }
}
