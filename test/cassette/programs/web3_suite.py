"""Runs a suite of web3.py once for each line of standard input: `URL WEBSOCKET_URL PRIVATE_KEY`."""

import asyncio
import json
import sys

from eth_account import Account
from web3 import AsyncWeb3, Web3, WebSocketProvider
from web3.exceptions import ContractCustomError, Web3RPCError

RECIPIENT = "0x00000000000000000000000000000000000c0fFE"

with open("fixtures/contracts/artifacts/Token.json") as file:
    TOKEN = json.load(file)


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def run(url, key):
    web3 = Web3(Web3.HTTPProvider(url))
    recipient = Web3.to_checksum_address(RECIPIENT)
    account = Account.from_key(key)

    def send(call, **more):
        request = call.build_transaction(
            {"from": account.address, "nonce": web3.eth.get_transaction_count(account.address), **more}
        )
        hash_ = web3.eth.send_raw_transaction(account.sign_transaction(request).raw_transaction)
        return web3.eth.wait_for_transaction_receipt(hash_, poll_latency=0.02)

    check(web3.eth.chain_id == 31337, "chain id")
    receipt = send(web3.eth.contract(abi=TOKEN["abi"], bytecode=TOKEN["bytecode"]).constructor("Gold", "GLD", 1000))
    check(receipt["status"] == 1, "deployment")
    token = web3.eth.contract(address=receipt["contractAddress"], abi=TOKEN["abi"])
    receipt = send(token.functions.transfer(recipient, 250))
    events = token.events.Transfer().process_receipt(receipt)
    check([event["args"]["value"] for event in events] == [250], "event")
    check(token.functions.balanceOf(recipient).call() == 250, "balance")
    with web3.batch_requests() as batch:
        batch.add(web3.eth.get_block(receipt["blockNumber"]))
        batch.add(web3.eth.get_transaction(receipt["transactionHash"]))
        block, transaction = batch.execute()
    check(transaction["blockHash"] == block["hash"], "block")
    try:
        token.functions.transfer(recipient, 5000).call({"from": account.address})
        raise AssertionError("no revert")
    except ContractCustomError:
        pass
    try:
        web3.eth.send_raw_transaction("0x01")
        raise AssertionError("no refusal")
    except Web3RPCError:
        pass


async def listen(url, ws_url):
    async with AsyncWeb3(WebSocketProvider(ws_url)) as web3:
        await web3.eth.subscribe("newHeads")
        await web3.eth.get_chain_id() if hasattr(web3.eth, "get_chain_id") else await web3.eth.chain_id
        http = Web3(Web3.HTTPProvider(url))
        http.provider.make_request("evm_mine", [])
        async for message in web3.socket.process_subscriptions():
            check(message["result"]["number"] > 0, "head")
            break


for line in sys.stdin:
    url, ws_url, key = line.split()
    try:
        run(url, key)
        asyncio.run(listen(url, ws_url))
        print("ok", flush=True)
    except BaseException as error:  # the test shows what went wrong
        print(f"{type(error).__name__}: {error}".replace("\n", " "), flush=True)
