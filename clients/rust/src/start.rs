use std::env;
use std::io::{copy, sink, BufRead, BufReader};
use std::process::{id, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::{Error, Node, TestNode};

const START_TIMEOUT: Duration = Duration::from_secs(60);

/// Starts a node with command-line options and waits for its ready line.
///
/// A shell runs the command `STANDIN_COMMAND`, which defaults to `npx --yes standin`. The node exits when this process
/// exits, even if it is killed.
pub fn start(options: &[&str]) -> Result<Node, Error> {
    let command = env::var("STANDIN_COMMAND").unwrap_or_else(|_| "npx --yes standin".to_owned());
    let refusal = |reason: &dyn std::fmt::Display| Error::Start(format!("{command}: {reason}"));
    let parent = id().to_string();
    let mut process = Command::new("sh")
        .args(["-c", &format!("exec {command} \"$@\""), "sh"])
        .args(["--json", "--port", "0", "--ipfs-port", "0", "--parent-pid", &parent])
        .args(options)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| refusal(&error))?;
    let output = process.stdout.take().ok_or_else(|| refusal(&"no output"))?;
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut reader = BufReader::new(output);
        let mut line = String::new();
        let _ = sender.send(reader.read_line(&mut line).map(|_| line));
        // Keep reading: a full pipe would block the node.
        let _ = copy(&mut reader, &mut sink());
    });
    let line = receiver.recv_timeout(START_TIMEOUT).map_err(|error| error.to_string());
    let node = line
        .and_then(|read| read.map_err(|error| error.to_string()))
        .and_then(|line| serde_json::from_str::<Node>(&line).map_err(|_| format!("{line:?} is not a ready line")));
    match node {
        Ok(mut node) => {
            node.process = Some(process);
            Ok(node)
        }
        Err(reason) => {
            let _ = process.kill();
            let _ = process.wait();
            Err(refusal(&reason))
        }
    }
}

/// Attaches to the running node with this JSON-RPC URL, which includes its key. Dropping it does not stop the node.
pub fn attach(url: &str) -> Result<Node, Error> {
    let parts = url.strip_prefix("http").and_then(|rest| rest.split_once("://"));
    let Some((secure @ ("" | "s"), rest)) = parts else {
        return Err(Error::Start(format!("{url} is not an HTTP URL")));
    };
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let ws_url = format!("ws{secure}://{host}/ws/{path}");
    Ok(Node { url: url.to_owned(), ws_url, ipfs_url: None, accounts: Vec::new(), process: None })
}

/// Returns a node for a test: attaches to the node at `STANDIN_URL` if set, and starts one otherwise.
///
/// An attached node is restored after the test, so tests that share one must not run in parallel (`--test-threads 1`).
pub fn for_test() -> Result<TestNode, Error> {
    TestNode::new(match env::var("STANDIN_URL") {
        Ok(url) => attach(&url)?,
        Err(_) => start(&[])?,
    })
}
