"""web3.py against the node: all transaction types, logs, reverts, proofs, subscriptions and faults."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import requests
import rlp
from eth_utils import keccak
from standin_client import Node
from trie import HexaryTrie
from web3 import AsyncWeb3, Web3, WebSocketProvider
from web3.exceptions import ContractLogicError, Web3RPCError
from web3.types import TxReceipt

ARTIFACTS = Path(__file__).parents[3] / "fixtures/contracts/artifacts"
GWEI = 10**9


def artifact(name: str) -> dict[str, Any]:
    return json.loads((ARTIFACTS / f"{name}.json").read_text())


@pytest.fixture
def web3(standin: Node) -> Web3:
    web3 = Web3(Web3.HTTPProvider(standin.url, exception_retry_configuration=None))
    web3.eth.default_account = web3.eth.account.from_key(standin.accounts[0]["privateKey"]).address
    return web3


def deploy(web3: Web3, name: str, *arguments: Any) -> Any:
    compiled = artifact(name)
    contract = web3.eth.contract(abi=compiled["abi"], bytecode=compiled["bytecode"])
    receipt = web3.eth.wait_for_transaction_receipt(contract.constructor(*arguments).transact(), timeout=20)
    assert receipt["status"] == 1
    return web3.eth.contract(address=receipt["contractAddress"], abi=compiled["abi"])


def send(standin: Node, web3: Web3, fields: dict[str, Any]) -> TxReceipt:
    account = web3.eth.account.from_key(standin.accounts[0]["privateKey"])
    transaction = {
        "to": "0x00000000000000000000000000000000000A11cE",
        "value": 1,
        "gas": 100_000,
        "nonce": web3.eth.get_transaction_count(account.address),
        "chainId": web3.eth.chain_id,
        **fields,
    }
    signed = account.sign_transaction(transaction)
    return web3.eth.wait_for_transaction_receipt(web3.eth.send_raw_transaction(signed.raw_transaction), timeout=20)


def test_all_transaction_types(standin: Node, web3: Web3) -> None:
    fees = {"maxFeePerGas": 100 * GWEI, "maxPriorityFeePerGas": GWEI}
    authority = web3.eth.account.from_key(standin.accounts[1]["privateKey"])
    delegate = "0x00000000000000000000000000000000000000aA"
    authorization = authority.sign_authorization(
        {"chainId": web3.eth.chain_id, "address": delegate, "nonce": web3.eth.get_transaction_count(authority.address)}
    )
    # Without type 3: eth-account only creates the blob proofs from before Osaka.
    forms = [
        (0, {"gasPrice": 100 * GWEI}),
        (1, {"type": 1, "gasPrice": 100 * GWEI, "accessList": [{"address": delegate, "storageKeys": []}]}),
        (2, {"type": 2, **fees}),
        (4, {"type": 4, **fees, "authorizationList": [authorization]}),
    ]
    for number, fields in forms:
        receipt = send(standin, web3, fields)
        assert (receipt["type"], receipt["status"]) == (number, 1)
        sent = web3.eth.get_transaction(receipt["transactionHash"])
        assert sent["value"] == 1 and sent["type"] == number
    assert web3.eth.get_code(authority.address).hex() == "ef0100" + delegate[2:].lower()


def test_contracts_logs_and_reverts(web3: Web3) -> None:
    token = deploy(web3, "Token", "Gold", "GLD", 1000)
    to = "0x00000000000000000000000000000000000A11cE"
    receipt = web3.eth.wait_for_transaction_receipt(token.functions.transfer(to, 7).transact(), timeout=20)
    [event] = token.events.Transfer().get_logs(from_block=receipt["blockNumber"])
    assert (event["args"]["from"], event["args"]["to"]) == (web3.eth.default_account, to)
    assert token.functions.balanceOf(to).call() == 7
    reverter = deploy(web3, "Reverter")
    with pytest.raises(ContractLogicError, match="execution reverted: sorry"):
        reverter.functions.revertWithReason("sorry").call()
    with pytest.raises(ContractLogicError, match="execution reverted: sorry"):
        reverter.functions.revertWithReason("sorry").transact()


def test_verifies_a_proof_against_the_state_root(web3: Web3) -> None:
    token = deploy(web3, "Token", "Gold", "GLD", 1000)
    block = web3.eth.get_block("latest")
    proof = web3.eth.get_proof(token.address, [0, 1, 2, 3], block["number"])
    nodes = [rlp.decode(bytes(node)) for node in proof["accountProof"]]
    found = HexaryTrie.get_from_proof(block["stateRoot"], keccak(hexstr=token.address), nodes)
    nonce, balance, storage_root, code_hash = rlp.decode(found)
    assert (nonce, balance) == (b"\x01", b"")
    assert (storage_root, code_hash) == (bytes(proof["storageHash"]), bytes(proof["codeHash"]))
    for slot in proof["storageProof"]:
        key = keccak(int(slot["key"].hex(), 16).to_bytes(32, "big"))
        value = HexaryTrie.get_from_proof(storage_root, key, [rlp.decode(bytes(node)) for node in slot["proof"]])
        expected = int(slot["value"].hex() or "0", 16)
        assert (rlp.decode(value) if value else b"") == expected.to_bytes((expected.bit_length() + 7) // 8, "big")


def test_heads_and_logs_are_pushed(standin: Node, web3: Web3) -> None:
    token = deploy(web3, "Token", "Gold", "GLD", 1000)

    async def watch() -> list[Any]:
        seen: list[Any] = []
        async with AsyncWeb3(WebSocketProvider(standin.ws_url)) as pushed:
            await pushed.eth.subscribe("newHeads")
            await pushed.eth.subscribe("logs", {"address": token.address})
            await pushed.eth.send_transaction(token.functions.transfer(token.address, 1).build_transaction())
            async for message in pushed.socket.process_subscriptions():
                seen.append(message["result"])
                if len(seen) == 2:
                    return seen
        return seen

    seen = asyncio.run(asyncio.wait_for(watch(), 30))
    assert sorted("topics" in message for message in seen) == [False, True]


FAULTS = [
    ({"type": "status", "status": 500, "body": "oops\n"}, None),
    ({"type": "outage"}, None),
    ({"type": "quota", "span": "second"}, None),
    ({"type": "quota", "span": "day"}, None),
    ({"type": "status", "status": 403, "body": "forbidden\n"}, None),
    ({"type": "error", "code": -32000, "message": "header not found"}, Web3RPCError),
    ({"type": "close"}, requests.exceptions.ConnectionError),
]


@pytest.mark.parametrize(("action", "failure"), FAULTS, ids=[str(action) for action, _ in FAULTS])
def test_reads_under_faults(standin: Node, action: dict[str, Any], failure: Any) -> None:
    """The table in docs/guides/clients-under-faults.md; failure is None where web3.py retries."""
    web3 = Web3(Web3.HTTPProvider(standin.url))
    standin.add_fault({"id": "once", "match": {"method": "eth_blockNumber", "nth": 1}, "action": action})
    if failure is None:
        assert web3.eth.block_number >= 0
    else:
        with pytest.raises(failure):
            web3.eth.block_number


def test_does_not_retry_a_send(standin: Node) -> None:
    web3 = Web3(Web3.HTTPProvider(standin.url))
    action = {"type": "status", "status": 503, "body": "down\n"}
    standin.add_fault({"id": "once", "match": {"method": "eth_sendTransaction", "nth": 1}, "action": action})
    account = web3.eth.account.from_key(standin.accounts[0]["privateKey"]).address
    before = web3.eth.block_number
    with pytest.raises(requests.exceptions.HTTPError):
        web3.eth.send_transaction({"from": account, "to": account, "value": 1})
    assert web3.eth.block_number == before
