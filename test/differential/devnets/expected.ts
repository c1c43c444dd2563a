import type { Difference, ExpectedDifference } from '../support/classes.js'
import type { PeerName } from './peer.js'

/** Differences selected by their names, requests or answers. */
function where(pattern: Partial<Record<keyof Difference, RegExp>>): ExpectedDifference['matches'] {
  const entries = Object.entries(pattern) as [keyof Difference, RegExp][]
  return (difference) => entries.every(([member, expression]) => expression.test(difference[member]))
}

const sends = /^eth_send(Raw)?Transaction /

/** Intended differences from the development nodes, with reasons. */
export const expectedDifferences: Readonly<Record<PeerName, readonly ExpectedDifference[]>> = {
  hardhat: [
    {
      reason: 'arguments are read as geth reads them, and no place in their text is told',
      matches: where({ theirs: /at line \d+ column \d+/ }),
    },
    {
      reason: "arguments are refused with hardhat's code, in the words of geth",
      matches: where({
        ours: /"code":-32602/,
        theirs: /"code":-32602,"message":"[^"]*(at line \d+ column|\\")/,
      }),
    },
    {
      reason: 'hardhat takes a block tag that it does not know for a method that it does not know',
      matches: where({ ours: /"code":-32602/, theirs: /"code":-32004/ }),
    },
    {
      reason: 'of several mistakes of a transaction, its gas limit is told first',
      matches: where({
        name: sends,
        ours: /exceeds (transaction gas cap|block gas limit)/,
        theirs: /"error"/,
      }),
    },
    {
      reason: 'controls take numbers as JSON numbers and as decimal text from every client',
      matches: where({ name: /^(hardhat|evm)_\w+ \| (result|\.result)/, theirs: /"code":-32602/ }),
    },
    {
      reason: "transactions, receipts and logs have geth's members",
      matches: where({
        name: /(blockTimestamp|yParity|chainId|baseFeePerBlobGas|blobGasUsedRatio) missing there/,
      }),
    },
    {
      reason: 'the first block has no extra data, and the root of an empty trie of transactions',
      matches: where({ name: /\.result\.(extraData|transactionsRoot)$/, request: /"0x0"|earliest/ }),
    },
    {
      reason: 'hardhat_mine makes every block, so that base fees fall from one to the next',
      matches: where({ request: /after hardhat_mine \["?(0x10|3|5|0x2)/, name: /funds|\.result/ }),
    },
    {
      reason: 'indices and blocks are read as geth reads them',
      matches: where({ name: /^eth_(get|newFilter)/, ours: /"code":-32602/ }),
    },
    {
      reason: "a transaction without gas gets the limit that a control has set, not the configuration's",
      matches: where({ request: /after evm_setBlockGasLimit/, theirs: /exceeds block gas limit/ }),
    },
    {
      reason:
        'an estimate ends at the gas limit that a control has set, in hardhat at that of the configuration',
      matches: where({ name: /^eth_estimateGas/, request: /after evm_setBlockGasLimit/ }),
    },
    {
      reason: 'the fees of a raw transaction are checked before its chain',
      matches: where({ name: sends, ours: /bigger than maxFeePerGas/, theirs: /invalid chainId/ }),
    },
    {
      reason: 'a transfer beyond a balance of 256 bits costs what it did, where revm takes all gas',
      matches: where({ request: /after hardhat_setBalance \["0x\w+","0xf{64}"/ }),
    },
    {
      reason:
        'snapshots are counted by those that were asked for; hardhat takes one more for each refused transaction',
      matches: where({ name: /^evm_snapshot \| \.result/ }),
    },
    {
      reason: 'mistakes of a message are told before those of its block',
      matches: where({
        name: /^eth_(call|estimateGas)/,
        ours: /greater than the cap|without any data/,
        theirs: /invalid block tag/,
      }),
    },
    {
      reason: 'log filters alone have logs, in the words of geth',
      matches: where({ name: /^eth_getFilterLogs/, theirs: /is not a Logs subscription/ }),
    },
    {
      reason: 'null in a list of topics is any topic, as in geth',
      matches: where({ name: /^eth_(getLogs|newFilter) \| result/, request: /"topics":\[\[/ }),
    },
    {
      reason: 'null is no value for a field of a transaction that may be left out, as in geth',
      matches: where({ name: sends, request: /^eth_sendTransaction .*":null/, theirs: /invalid type: null/ }),
    },
    {
      reason: 'an empty text is no number, and an empty list no bytes, nor is one argument more taken',
      matches: where({ request: /^\w+ \[.*(""|\[\]|"0x1"\]$)/m, ours: /"code":-32602/ }),
    },
    {
      reason:
        'the newest block of a fee history is a number or a tag, and its count has digits, as in the standard',
      matches: where({ name: /^eth_feeHistory \| -32602/ }),
    },
    {
      reason: 'a filter that has no number for its id is one that is not there',
      matches: where({ name: /^eth_(getFilter|uninstallFilter)/, theirs: /expected a 32 byte hex string/ }),
    },
    {
      reason: 'an instruction that lacks both items of the stack and gas lacks the items, as in geth',
      matches: where({ ours: /without a reason string/, theirs: /ran out of gas/, request: /c0c017"/ }),
    },
    { reason: 'the node says its own version', matches: where({ name: /clientVersion/ }) },
    {
      reason: 'nothing is pushed over HTTP, so that there is nothing to subscribe to',
      matches: where({ name: /^eth_(un)?subscribe/ }),
    },
    {
      reason: 'transactions of impersonated accounts are marked otherwise, and so have other hashes',
      matches: where({
        name: /^eth_sendTransaction \| \.result$/,
        request: /after hardhat_impersonateAccount/,
      }),
    },
  ],
  anvil: [
    {
      reason: 'what a block paid is forgotten with it, where anvil remembers it by the number of the block',
      matches: where({
        name: /^eth_(sendTransaction|sendUnsignedTransaction|signTransaction|fillTransaction|gasPrice|maxPriorityFeePerGas|feeHistory) \| \.result/,
        request: /^eth_\w+ \[?(?!.*(gasPrice|maxFeePerGas)")/,
      }),
    },
    {
      reason: 'a reset without a URL begins anew whatever else it names, as clients mean it',
      matches: where({ name: /_reset/, theirs: /Forking not enabled/ }),
    },
    {
      reason: 'nonces have 64 bits',
      matches: where({ name: /(setNonce|AccountNonce)/, ours: /hex number > 64 bits/ }),
    },
    {
      reason: 'transactions of impersonated accounts are marked otherwise, and so have other hashes',
      matches: where({
        name: /^eth_send(Unsigned)?Transaction \| \.result$/,
        request: /impersonate|SendUnsigned|sendUnsigned/i,
      }),
    },
    {
      reason: 'the contracts of the fork that system calls go to are there, as the EIPs have it',
      matches: where({
        request:
          /^\w+ .*"0x(00000961ef480eb55e80d19ad83579a64c007002|0000bbddc7ce488642fb579f8b00f3a590007251|000f3df6d732807ef1319fb7b8bb8522d0beac02)"/,
      }),
    },
    {
      reason:
        'a simulated block stands on the head as in geth, where that of anvil has no parent and the number of the head',
      matches: where({ name: /^eth_simulateV1/, request: /^eth_simulateV1/ }),
    },
    {
      reason:
        'a block that takes the place of another has the time and the base fee that follow from its parent',
      matches: where({
        request: /after (anvil_(reorg|rollback)|evm_revert|anvil_revert)/,
        name: /(baseFeePerGas|timestamp|eth_(gasPrice|feeHistory|sendTransaction|fillTransaction|signTransaction) \| .*)$/,
      }),
    },
    {
      reason: 'the clock never goes behind the head, and a reset sets it back',
      matches: where({
        name: /(timestamp|Timestamp|Time)$/,
        request: /(setTime|_reset|etNextBlockTimestamp)/,
      }),
    },
    {
      reason:
        'a reset begins with the base fee of the genesis and forgets snapshots, which in anvil lead to blocks that are gone',
      matches: where({
        request:
          /^(evm|anvil)_revert|head after (hardhat|anvil)_reset|after (hardhat|anvil)_reset|after (evm|anvil)_revert/,
      }),
    },
    {
      reason:
        'orders of blocks are read as by other nodes: with JSON numbers or text, and without either member',
      matches: where({
        theirs: /untagged enum (MineOptions|ForkingVariants)|expected (u64|usize)"/,
        ours: /"result"/,
      }),
    },
    {
      reason: 'steps of mined transactions are traced without an option for that',
      matches: where({ name: /^debug_trace(Transaction|Block\w+) \| \.result.*structLogs/ }),
    },
    {
      reason:
        'what other nodes do is not left undone: typed data of all versions are signed, and there is no work',
      matches: where({ theirs: /Not implemented/ }),
    },
    {
      reason: 'the version of the protocol is that of the provider',
      matches: where({ name: /^eth_protocolVersion/ }),
    },
    {
      reason: 'taking back no blocks is fine',
      matches: where({ name: /^anvil_rollback/, theirs: /Required data unavailable/ }),
    },
    {
      reason: 'a legacy transaction that is signed for another chain is refused',
      matches: where({ name: sends, ours: /invalid chain id for signer/ }),
    },
    {
      reason: 'arguments that the standard lets out may be left out',
      matches: where({
        ours: /"result"/,
        theirs: /expected params sequence with length|expected tuple variant|expected struct GethDebug/,
      }),
    },
    { reason: 'anvil goes down', matches: where({ theirs: /^\{"closed"/ }) },
    {
      reason: 'of several mistakes of a call another one is told first',
      matches: where({ name: /^eth_(call|createAccessList)/, ours: /"error"/, theirs: /"error"/ }),
    },
    {
      reason: 'a transaction whose tip is above its cap is not signed, as no node takes it',
      matches: where({ name: /^eth_signTransaction/, ours: /priority fee per gas higher/ }),
    },
    {
      reason:
        'the calls of a batch are answered also where something else stands beside them, as in JSON-RPC',
      matches: where({ name: /^a body/, request: /^\[/ }),
    },
    {
      reason:
        'notifications and members beside those of JSON-RPC are taken, and other params are told as wrong',
      matches: where({ name: /^a body/, request: /^\{"jsonrpc"/ }),
    },
    {
      reason: 'prevRandao follows from the parent, where anvil throws dice',
      matches: where({ name: /mixHash$/ }),
    },
    {
      reason: "arguments are refused with anvil's code, in the words of geth",
      matches: where({ ours: /"code":-32602/, theirs: /"code":-32602/ }),
    },
    {
      reason: 'of several mistakes of a transaction, another one is told first',
      matches: where({ name: sends, ours: /"error"/, theirs: /"error"/ }),
    },
    {
      reason:
        'fields that contradict each other, and empty lists of authorizations and blobs, are refused as in geth',
      matches: where({
        ours: /gasPrice and|are set and not equal|authorization|blob|chainId does not match/,
        request: /^eth_(send|call|estimate)/,
      }),
    },
    {
      reason: 'other methods than those of anvil are there too, and all of it over WebSocket only',
      matches: where({ theirs: /Method not found/ }),
    },
    {
      reason: 'numbers of controls are hexadecimal or decimal texts too, and an empty text is none',
      matches: where({ name: /^(anvil|evm)_\w+ \|/, request: /"0x|""/, ours: /"result":null|"code":-32602/ }),
    },
    {
      reason: 'a block without gas is refused, as in hardhat',
      matches: where({ ours: /Block gas limit must be greater than 0/ }),
    },
    {
      reason: 'fee histories and indices are checked as in geth',
      matches: where({
        name: /^eth_(feeHistory|getTransactionBy)/,
        ours: /"error"/,
        theirs: /"result"/,
      }),
    },
    {
      reason: 'randomness follows from the parent, where anvil throws dice, also for code that reads it',
      matches: where({ name: /^eth_call \| \.result$/, request: /c0c01e"/ }),
    },
    {
      reason:
        'a creation whose gas does not pay for its beginning is refused as in geth, where anvil lets it wait',
      matches: where({ name: sends, ours: /intrinsic gas too low/, theirs: /"result"/ }),
    },
    {
      reason: 'of several mistakes of an estimate, the one about gas is told first',
      matches: where({ name: /^eth_estimateGas/, ours: /Out of gas/, theirs: /"code":-320/ }),
    },
    {
      reason: 'the newest fork is Osaka until networks of this node have blob parameters of their own',
      matches: where({ name: /anvil_nodeInfo \| \.result\.(hardFork|network)/ }),
    },
    { reason: 'the node says its own version', matches: where({ name: /clientVersion/ }) },
    {
      reason: 'a block that is left out is the latest one, as in geth',
      matches: where({ name: /^eth_get\w+ \| result/, theirs: /invalid length \d+, expected tuple variant/ }),
    },
    {
      reason: 'a transaction is mined before it is answered, in anvil a moment later',
      matches: where({ name: /^head after eth_send/, ours: /"number":"0x2"/, theirs: /"number":"0x1"/ }),
    },
    {
      reason: 'an unknown transaction has no trace, where anvil answers an empty one',
      matches: where({ name: /^debug_traceTransaction \| -32000 transaction not found/ }),
    },
    {
      reason: 'a block that is not there has no count of transactions, as in geth',
      matches: where({ name: /^eth_getBlockTransactionCountByNumber \| result/ }),
    },
    {
      reason:
        'the first block keeps its header, which the next base fee that a control sets changes in anvil',
      matches: where({ name: /baseFeePerGas$/, request: /"(0x0|earliest|safe|finalized)"/ }),
    },
  ],
}
