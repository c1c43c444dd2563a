import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request

import pytest
from standin_client import AsyncNode, Node, RPCError, StartError, attach, start
from web3 import AsyncHTTPProvider, AsyncWeb3, Web3


@pytest.fixture
def web3(standin: Node) -> Web3:
    return Web3(Web3.HTTPProvider(standin.url, exception_retry_configuration=None))


def test_transaction_and_proof(standin: Node, web3: Web3) -> None:
    to = "0x00000000000000000000000000000000000a11ce"
    sender = web3.eth.account.from_key(standin.accounts[0]["privateKey"])
    transaction = {
        "to": Web3.to_checksum_address(to),
        "value": 7,
        "gas": 21000,
        "maxFeePerGas": 10**11,
        "maxPriorityFeePerGas": 1,
        "nonce": web3.eth.get_transaction_count(sender.address),
        "chainId": web3.eth.chain_id,
    }
    identifier = web3.eth.send_raw_transaction(sender.sign_transaction(transaction).raw_transaction)
    receipt = web3.eth.wait_for_transaction_receipt(identifier, timeout=20)
    assert receipt["status"] == 1
    assert receipt["gasUsed"] == 21000
    assert web3.eth.get_proof(Web3.to_checksum_address(to), [], "latest")["balance"] == 7


def test_each_test_starts_with_the_initial_chain(standin: Node, web3: Web3) -> None:
    address = Web3.to_checksum_address("0x00000000000000000000000000000000000a11ce")
    assert web3.eth.get_balance(address) == 0
    before = web3.eth.block_number
    standin.mine(3)
    assert web3.eth.block_number == before + 3


def test_increase_time(standin: Node, web3: Web3) -> None:
    before = web3.eth.get_block("latest")["timestamp"]
    standin.increase_time(3600)
    standin.mine()
    assert web3.eth.get_block("latest")["timestamp"] >= before + 3600


def test_a_fault_is_returned_and_recorded(standin: Node) -> None:
    action = {"type": "error", "code": -32099, "message": "tired"}
    standin.add_fault({"id": "tired", "match": {"method": "eth_gasPrice", "nth": 1}, "action": action})
    with pytest.raises(RPCError, match="tired") as raised:
        standin.rpc("eth_gasPrice")
    assert raised.value.code == -32099
    assert int(standin.rpc("eth_gasPrice"), 16) > 0
    entry = standin.wait_for_request(method="eth_gasPrice", failed=True)
    assert entry["method"] == "eth_gasPrice" and entry.get("faults") == ["tired"]
    assert [(fault["id"], fault["hits"]) for fault in standin.faults()] == [("tired", 1)]


def test_a_key_distinguishes_requests(standin: Node) -> None:
    key = standin.create_key()
    mine = attach(key.url)
    assert mine.ws_url == key.ws_url
    mine.rpc("eth_chainId")
    standin.rpc("eth_chainId")
    assert len(standin.journal(key=key.key)) == 1
    standin.remove_key(key)


def test_assertions_about_the_journal(standin: Node) -> None:
    standin.rpc("eth_syncing")
    standin.assert_requested(method="eth_syncing")
    standin.assert_not_requested(method="eth_noSuch")
    with pytest.raises(AssertionError, match="eth_syncing"):
        standin.assert_requested(method="eth_noSuch")
    with pytest.raises(AssertionError, match="matched"):
        standin.assert_not_requested(method="eth_syncing")


def test_a_file_is_uploaded(standin: Node) -> None:
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="hello"\r\n\r\n'
    request = urllib.request.Request(
        f"{standin.ipfs_url}/api/v0/add",
        head + b"hello world\n\r\n--x--\r\n",
        {"content-type": "multipart/form-data; boundary=x"},
    )
    with urllib.request.urlopen(request) as response:
        # The CID that `ipfs add` prints for these bytes.
        assert json.load(response)["Hash"] == "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o"


def test_async(async_standin: AsyncNode) -> None:
    async def scenario() -> None:
        web3 = AsyncWeb3(AsyncHTTPProvider(async_standin.url))
        before = await web3.eth.block_number
        # A waiting task does not block the other one.
        waiting = asyncio.create_task(async_standin.wait_for_request(method="eth_hashrate"))
        await async_standin.mine(2)
        assert await web3.eth.block_number == before + 2
        await async_standin.rpc("eth_hashrate")
        assert (await waiting)["method"] == "eth_hashrate"
        await web3.provider.disconnect()

    asyncio.run(scenario())


def test_attach_derives_the_websocket_url(standin: Node) -> None:
    node = attach(standin.url)
    assert node.ws_url == standin.ws_url
    assert node.rpc("eth_chainId") == standin.rpc("eth_chainId")


def test_a_failing_command_raises_an_error() -> None:
    with pytest.raises(StartError):
        start(command=[sys.executable, "-c", "print('no JSON')"])


def test_the_node_exits_when_its_parent_is_killed() -> None:
    script = "import standin_client,time; n=standin_client.start(); print(n._process.pid, flush=True); time.sleep(60)"
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    pid = int(parent.stdout.readline())
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    deadline = time.monotonic() + 10
    while _is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _is_running(pid)


def _is_running(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False
