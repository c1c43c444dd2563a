use std::env;
use std::io::{copy, sink, BufRead, BufReader};
use std::process::{id, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::{Error, Node, TestNode};

const LONGEST_START: Duration = Duration::from_secs(60);

/// Starts a node with options of the command line and waits for its ready line.
///
/// The command is `STANDIN_COMMAND`, run by a shell, or else `npx --yes standin`. The node watches this process and ends
/// with it, even when this process is killed.
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
        // What follows is not needed, but a full pipe would hold the node.
        let _ = copy(&mut reader, &mut sink());
    });
    let line = receiver.recv_timeout(LONGEST_START).map_err(|error| error.to_string());
    let node = line
        .and_then(|read| read.map_err(|error| error.to_string()))
        .and_then(|line| serde_json::from_str::<Node>(&line).map_err(|_| format!("no ready line, but {line:?}")));
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

/// Attaches to the node whose JSON-RPC URL, with its key, this is. It keeps running.
pub fn attach(url: &str) -> Result<Node, Error> {
    let parts = url.strip_prefix("http").and_then(|rest| rest.split_once("://"));
    let Some((secure @ ("" | "s"), rest)) = parts else {
        return Err(Error::Start(format!("{url} is no URL of HTTP")));
    };
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let ws_url = format!("ws{secure}://{host}/ws/{path}");
    Ok(Node { url: url.to_owned(), ws_url, ipfs_url: None, accounts: Vec::new(), process: None })
}

/// A node for a test: the one at `STANDIN_URL`, or else one of its own.
///
/// A node that was attached to is put back afterwards, so tests that share one must not run in parallel
/// (`--test-threads 1`).
pub fn for_test() -> Result<TestNode, Error> {
    TestNode::new(match env::var("STANDIN_URL") {
        Ok(url) => attach(&url)?,
        Err(_) => start(&[])?,
    })
}
