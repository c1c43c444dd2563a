use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use alloy::network::TransactionBuilder;
use alloy::primitives::{address, b256, Address, U256};
use alloy::providers::{Provider, ProviderBuilder};
use alloy::rpc::types::{Filter, TransactionRequest};
use alloy::signers::local::PrivateKeySigner;
use serde_json::Value;
use standin::{Error, Fault, FaultAction, FaultMatch, Node};

const ALICE: Address = address!("00000000000000000000000000000000000a11ce");

fn provider(node: &Node) -> impl Provider {
    let signer: PrivateKeySigner = node.accounts[0].private_key.parse().unwrap();
    ProviderBuilder::new().wallet(signer).connect_http(node.url.parse().unwrap())
}

#[tokio::test]
async fn transaction_receipt_and_proof() {
    let node = standin::for_test().unwrap();
    let alloy = provider(&node);
    let request = TransactionRequest::default().with_to(ALICE).with_value(U256::from(7));
    let receipt = alloy.send_transaction(request).await.unwrap().get_receipt().await.unwrap();
    assert!(receipt.status());
    assert_eq!(receipt.gas_used, 21000);
    let proof = alloy.get_proof(ALICE, vec![]).await.unwrap();
    assert_eq!(proof.balance, U256::from(7));
    // The last node of the proof is the account's leaf, which contains both hashes.
    let leaf = proof.account_proof.last().unwrap();
    assert!(leaf.windows(32).any(|bytes| bytes == proof.storage_hash.as_slice()));
    assert!(leaf.windows(32).any(|bytes| bytes == proof.code_hash.as_slice()));
}

#[tokio::test]
async fn logs_of_a_contract() {
    let node = standin::for_test().unwrap();
    let alloy = provider(&node);
    // PUSH1 42 PUSH1 0 MSTORE, PUSH1 9 PUSH1 32 PUSH1 0 LOG1: init code that logs the number 42 with topic 9.
    let code = vec![0x60, 42, 0x60, 0, 0x52, 0x60, 9, 0x60, 32, 0x60, 0, 0xa1, 0];
    let request = TransactionRequest::default().with_deploy_code(code);
    let receipt = alloy.send_transaction(request).await.unwrap().get_receipt().await.unwrap();
    let topic = b256!("0000000000000000000000000000000000000000000000000000000000000009");
    let logs = alloy.get_logs(&Filter::new().from_block(0).event_signature(topic)).await.unwrap();
    assert_eq!(logs.len(), 1);
    assert_eq!(logs[0].address(), receipt.contract_address.unwrap());
    assert_eq!(U256::from_be_slice(&logs[0].data().data), U256::from(42));
}

#[test]
fn a_file_is_uploaded() {
    let node = standin::for_test().unwrap();
    let boundary = "standin";
    let part = "Content-Disposition: form-data; name=\"file\"; filename=\"hello\"";
    let body = format!("--{boundary}\r\n{part}\r\n\r\nhello world\n\r\n--{boundary}--\r\n");
    let url = format!("{}/api/v0/add", node.ipfs_url.as_ref().unwrap());
    let mut answer = ureq::post(&url)
        .header("content-type", format!("multipart/form-data; boundary={boundary}"))
        .send(body)
        .unwrap();
    let line: Value = serde_json::from_str(&answer.body_mut().read_to_string().unwrap()).unwrap();
    // The CID that `ipfs add` prints for these bytes.
    assert_eq!(line["Hash"], "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o");
}

#[tokio::test]
async fn a_fault_is_returned_and_recorded() {
    let node = standin::for_test().unwrap();
    node.add_fault(&Fault {
        id: Some("tired".into()),
        r#match: Some(FaultMatch {
            method: Some(vec!["eth_gasPrice".into()]),
            nth: Some(vec![1]),
            ..Default::default()
        }),
        action: FaultAction {
            r#type: "error".into(),
            code: Some(-32099),
            message: Some("tired".into()),
            ..Default::default()
        },
    })
    .unwrap();
    let alloy = provider(&node);
    let error = alloy.get_gas_price().await.unwrap_err();
    assert_eq!(error.as_error_resp().unwrap().code, -32099);
    assert!(alloy.get_gas_price().await.unwrap() > 0);
    let failed = [("method", "eth_gasPrice"), ("failed", "true")];
    let entry = node.wait_for_request(&failed, Duration::from_secs(10)).unwrap();
    assert_eq!((entry.error.unwrap().code, entry.faults.unwrap()), (-32099, vec!["tired".to_string()]));
    assert_eq!(node.faults().unwrap()[0].hits, 1);
    node.assert_requested(&failed);
    node.assert_not_requested(&[("method", "eth_accounts")]);
    match node.call::<Value>("no_such", ()) {
        Err(Error::Rpc(error)) => assert_eq!(error.code, -32601),
        other => panic!("{other:?}"),
    }
}

#[test]
fn sets_the_clock_and_reverts_to_a_snapshot() {
    let node = standin::for_test().unwrap();
    let timestamp = || {
        let block: Value = node.call("eth_getBlockByNumber", ("latest", false)).unwrap();
        u64::from_str_radix(&block["timestamp"].as_str().unwrap()[2..], 16).unwrap()
    };
    let before = timestamp();
    let snapshot = node.snapshot().unwrap();
    node.increase_time(3600).unwrap();
    node.mine(1).unwrap();
    assert!(timestamp() >= before + 3600);
    node.set_next_block_timestamp(before + 100_000).unwrap();
    node.mine(1).unwrap();
    assert_eq!(timestamp(), before + 100_000);
    node.revert(&snapshot).unwrap();
    assert_eq!(timestamp(), before);
    assert!(node.revert(&snapshot).is_err());
}

#[test]
fn a_key_distinguishes_the_requests_of_a_test() {
    let node = standin::for_test().unwrap();
    let key = node.create_key().unwrap();
    let mine = standin::attach(&key.url).unwrap();
    assert_eq!(mine.ws_url, key.ws_url);
    mine.call::<Value>("eth_chainId", ()).unwrap();
    node.call::<Value>("eth_chainId", ()).unwrap();
    assert_eq!(node.journal(&[("key", &key.key)]).unwrap().len(), 1);
    node.remove_key(&key).unwrap();
}

#[test]
fn an_attached_node_is_restored() {
    let node = standin::start(&[]).unwrap();
    let head = || node.call::<String>("eth_blockNumber", ()).unwrap();
    {
        let attached = standin::attach(&node.url).unwrap();
        assert_eq!(attached.ws_url, node.ws_url);
        let snapshot = attached.snapshot().unwrap();
        attached.mine(3).unwrap();
        assert_eq!(head(), "0x3");
        attached.revert(&snapshot).unwrap();
    }
    assert_eq!(head(), "0x0");
    assert!(standin::attach("ftp://127.0.0.1").is_err());
}

/// Not a test, but the process that the next test kills.
#[test]
#[ignore]
fn start_and_wait() {
    let node = standin::start(&[]).unwrap();
    println!("\nurl {}", node.url);
    sleep(Duration::from_secs(60));
}

#[test]
fn the_node_exits_when_its_parent_is_killed() {
    let mut parent = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "start_and_wait", "--ignored", "--nocapture"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(parent.stdout.take().unwrap()).lines();
    let url = lines.map_while(Result::ok).find_map(|line| line.strip_prefix("url ").map(str::to_owned)).unwrap();
    let node = standin::attach(&url).unwrap();
    let answers = || node.call::<Value>("eth_chainId", ()).is_ok();
    assert!(answers());
    parent.kill().unwrap();
    parent.wait().unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while answers() && Instant::now() < deadline {
        sleep(Duration::from_millis(50));
    }
    assert!(!answers());
}
