use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::ops::Deref;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{json, Value};

use crate::http::send;
use crate::{Error, Fault, FaultReport, JournalEntry};

/// An unlocked account of the node's chain.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    pub address: String,
    pub private_key: String,
}

/// An API key for one test, with the URLs that contain it.
#[derive(Debug, Clone)]
pub struct Key {
    pub key: String,
    pub secret: String,
    pub url: String,
    pub ws_url: String,
}

/// A running node. A started node stops when this value is dropped, or when this process exits, even if it is killed.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// JSON-RPC URL with an API key.
    pub url: String,
    pub ws_url: String,
    /// IPFS API URL without `/api/v0`; `None` for an attached node.
    pub ipfs_url: Option<String>,
    /// Empty for an attached node.
    #[serde(default)]
    pub accounts: Vec<Account>,
    #[serde(skip)]
    pub(crate) process: Option<Child>,
}

impl Node {
    /// Calls a JSON-RPC method. Pass parameters as a tuple, an array or a slice, and `()` for none.
    pub fn call<Answer: DeserializeOwned>(&self, method: &str, params: impl Serialize) -> Result<Answer, Error> {
        let params = match serde_json::to_value(params)? {
            Value::Null => json!([]),
            given => given,
        };
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let (_, text) = send("POST", &self.url, Some(&body))?;
        let mut answer: Value = serde_json::from_str(&text).map_err(|_| Error::Transport(text.clone()))?;
        match answer.get_mut("error") {
            Some(error) => Err(Error::Rpc(serde_json::from_value(error.take())?)),
            None => Ok(serde_json::from_value(answer["result"].take())?),
        }
    }

    /// Calls the control API at `/_standin` + path.
    pub fn control(&self, method: &str, path: &str, body: Option<Value>) -> Result<Value, Error> {
        let origin = self.url.splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
        let (status, text) = send(method, &format!("{origin}/_standin{path}"), body.as_ref())?;
        if !(200..300).contains(&status) {
            return Err(Error::Control { status, body: text });
        }
        if text.is_empty() {
            return Ok(Value::Null);
        }
        Ok(serde_json::from_str(&text)?)
    }

    /// Takes a snapshot of the chain and returns its ID for [`Node::revert`].
    pub fn snapshot(&self) -> Result<String, Error> {
        self.call("evm_snapshot", ())
    }

    /// Restores a snapshot of the chain. Each snapshot can be used once.
    pub fn revert(&self, snapshot: &str) -> Result<(), Error> {
        match self.call("evm_revert", [snapshot])? {
            true => Ok(()),
            false => Err(Error::Transport(format!("no snapshot {snapshot}"))),
        }
    }

    /// Mines the given number of blocks. Pending transactions go into the first ones.
    pub fn mine(&self, blocks: u64) -> Result<(), Error> {
        self.call::<Value>("hardhat_mine", [format!("{blocks:#x}")]).map(drop)
    }

    /// Advances the clock of the following blocks.
    pub fn increase_time(&self, seconds: u64) -> Result<(), Error> {
        self.call::<Value>("evm_increaseTime", [seconds]).map(drop)
    }

    /// Sets the timestamp of the next block, in seconds since 1970.
    pub fn set_next_block_timestamp(&self, timestamp: u64) -> Result<(), Error> {
        self.call::<Value>("evm_setNextBlockTimestamp", [timestamp]).map(drop)
    }

    /// Lists the active faults.
    pub fn faults(&self) -> Result<Vec<FaultReport>, Error> {
        Ok(serde_json::from_value(self.control("GET", "/faults", None)?)?)
    }

    /// Sets a fault.
    pub fn add_fault(&self, fault: &Fault) -> Result<(), Error> {
        self.control("POST", "/faults", Some(json!({ "faults": [fault] }))).map(drop)
    }

    pub fn clear_faults(&self) -> Result<(), Error> {
        self.control("DELETE", "/faults", None).map(drop)
    }

    /// Lists recorded requests, oldest first. Accepts the query parameters of `GET /_standin/requests`.
    pub fn journal(&self, query: &[(&str, &str)]) -> Result<Vec<JournalEntry>, Error> {
        let query: Vec<String> = query.iter().map(|(name, value)| format!("{name}={}", escape(value))).collect();
        Ok(serde_json::from_value(self.control("GET", &format!("/requests?{}", query.join("&")), None)?)?)
    }

    /// Waits for the first recorded request that matches.
    pub fn wait_for_request(&self, query: &[(&str, &str)], timeout: Duration) -> Result<JournalEntry, Error> {
        let deadline = Instant::now() + timeout;
        loop {
            if let Some(request) = self.journal(query)?.into_iter().next() {
                return Ok(request);
            }
            if Instant::now() > deadline {
                return Err(Error::Timeout(format!("{query:?}")));
            }
            sleep(Duration::from_millis(20));
        }
    }

    /// Panics unless a recorded request matches the query.
    #[track_caller]
    pub fn assert_requested(&self, query: &[(&str, &str)]) {
        let found = self.journal(query).expect("the journal answers");
        assert!(!found.is_empty(), "no request matched {query:?}; recorded methods: {:?}", self.methods());
    }

    /// Panics if a recorded request matches the query.
    #[track_caller]
    pub fn assert_not_requested(&self, query: &[(&str, &str)]) {
        let found = self.journal(query).expect("the journal answers");
        assert!(found.is_empty(), "{} requests matched {query:?}", found.len());
    }

    fn methods(&self) -> Vec<String> {
        self.journal(&[]).map(|found| found.into_iter().filter_map(|entry| entry.method).collect()).unwrap_or_default()
    }

    /// Adds a key with a secret for one test. Quotas, allowlists and the journal distinguish tests by their keys.
    pub fn create_key(&self) -> Result<Key, Error> {
        let (key, secret) = (random_name(), random_name());
        self.control("PUT", &format!("/keys/{key}"), Some(json!({ "secret": secret })))?;
        let (url, ws_url) = (with_key(&self.url, &key), with_key(&self.ws_url, &key));
        Ok(Key { key, secret, url, ws_url })
    }

    pub fn remove_key(&self, key: &Key) -> Result<(), Error> {
        self.control("DELETE", &format!("/keys/{}", key.key), None).map(drop)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        let pid = process.id().to_string();
        let _ = Command::new("kill").arg(pid).stderr(Stdio::null()).status();
        let deadline = Instant::now() + Duration::from_secs(5);
        while matches!(process.try_wait(), Ok(None)) && Instant::now() < deadline {
            sleep(Duration::from_millis(5));
        }
        let _ = process.kill();
        let _ = process.wait();
    }
}

/// A node for one test. Dropping it removes all faults of an attached node and reverts its chain.
#[derive(Debug)]
pub struct TestNode {
    node: Node,
    snapshot: Option<String>,
}

impl TestNode {
    pub(crate) fn new(node: Node) -> Result<Self, Error> {
        let snapshot = if node.process.is_none() { Some(node.snapshot()?) } else { None };
        Ok(Self { node, snapshot })
    }
}

impl Deref for TestNode {
    type Target = Node;

    fn deref(&self) -> &Node {
        &self.node
    }
}

impl Drop for TestNode {
    fn drop(&mut self) {
        let Some(snapshot) = self.snapshot.take() else { return };
        let restored = self.node.clear_faults().and_then(|()| self.node.revert(&snapshot));
        if let (Err(error), false) = (restored, std::thread::panicking()) {
            panic!("failed to restore the node: {error}");
        }
    }
}

fn with_key(url: &str, key: &str) -> String {
    format!("{}/{key}", url.rsplit_once('/').map_or(url, |(base, _)| base))
}

/// Random 128 bits in hexadecimal: the standard library seeds its hashers randomly.
fn random_name() -> String {
    (0..2).map(|_| format!("{:016x}", RandomState::new().build_hasher().finish())).collect()
}

fn escape(value: &str) -> String {
    value
        .bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}
