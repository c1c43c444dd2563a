import type { Difference, ExpectedDifference } from '../support/classes.js'
import type { PeerName } from './peer.js'

/** Matches differences whose members match all the given patterns. */
function where(pattern: Partial<Record<keyof Difference, RegExp>>): ExpectedDifference['matches'] {
  const entries = Object.entries(pattern) as [keyof Difference, RegExp][]
  return (difference) => entries.every(([member, expression]) => expression.test(difference[member]))
}

const sends = /^eth_send(Raw|Unsigned)?Transaction /

/** Parses the number of the block in an answer. */
function numberIn(answer: string): number {
  return Number(/"number":"(0x[0-9a-f]+)"/.exec(answer)?.[1])
}

/** Intended differences from the development nodes, with their reasons. */
export const expectedDifferences: Readonly<Record<PeerName, readonly ExpectedDifference[]>> = {
  hardhat: [
    {
      reason: 'arguments are parsed like in geth, and errors have no line and column',
      matches: where({ theirs: /at line \d+ column \d+/ }),
    },
    {
      reason: "arguments are refused with hardhat's code and geth's message",
      matches: where({
        ours: /"code":-32602/,
        theirs: /"code":-32602,"message":"[^"]*(at line \d+ column|\\")/,
      }),
    },
    {
      reason: 'hardhat reports an unknown block tag as an unsupported method',
      matches: where({ ours: /"code":-32602/, theirs: /"code":-32004/ }),
    },
    {
      reason: 'of several errors in a transaction, the one about its gas limit is reported first',
      matches: where({
        name: sends,
        ours: /exceeds (transaction gas cap|block gas limit)/,
        theirs: /"error"/,
      }),
    },
    {
      reason: 'controls accept numbers as JSON numbers and decimal strings',
      matches: where({ name: /^(hardhat|evm)_\w+ \| (result|\.result)/, theirs: /"code":-32602/ }),
    },
    {
      reason: "transactions, receipts and logs have geth's members",
      matches: where({
        name: /(blockTimestamp|yParity|chainId|baseFeePerBlobGas|blobGasUsedRatio) missing there/,
      }),
    },
    {
      reason: 'the genesis block has no extra data and the transactions root of an empty trie',
      matches: where({ name: /\.result\.(extraData|transactionsRoot)$/, request: /"0x0"|earliest/ }),
    },
    {
      reason: 'hardhat_mine mines every block, so the base fee falls from block to block',
      matches: where({ request: /after hardhat_mine \["?(0x10|3|5|0x2)/, name: /funds|\.result/ }),
    },
    {
      reason: 'indices and block parameters are parsed like in geth',
      matches: where({ name: /^eth_(get|newFilter)/, ours: /"code":-32602/ }),
    },
    {
      reason: 'a transaction without gas gets the block gas limit set by a control, not the configured one',
      matches: where({ request: /after evm_setBlockGasLimit/, theirs: /exceeds block gas limit/ }),
    },
    {
      reason:
        'an estimate is capped by the block gas limit set by a control; in hardhat by the configured one',
      matches: where({ name: /^eth_estimateGas/, request: /after evm_setBlockGasLimit/ }),
    },
    {
      reason: 'the fees of a raw transaction are checked before its chain id',
      matches: where({ name: sends, ours: /bigger than maxFeePerGas/, theirs: /invalid chainId/ }),
    },
    {
      reason:
        'a transfer that overflows the balance of 256 bits costs only the gas used; in revm it costs all gas',
      matches: where({ request: /after hardhat_setBalance \["0x\w+","0xf{64}"/ }),
    },
    {
      reason: 'snapshot ids count requested snapshots; hardhat also takes one for each refused transaction',
      matches: where({ name: /^evm_snapshot \| \.result/ }),
    },
    {
      reason: 'errors in a call are reported before those in its block parameter',
      matches: where({
        name: /^eth_(call|estimateGas)/,
        ours: /greater than the cap|without any data/,
        theirs: /invalid block tag/,
      }),
    },
    {
      reason: "only log filters have logs; other filters are refused with geth's message",
      matches: where({ name: /^eth_getFilterLogs/, theirs: /is not a Logs subscription/ }),
    },
    {
      reason: 'null in a list of topics matches any topic, as in geth',
      matches: where({ name: /^eth_(getLogs|newFilter) \| result/, request: /"topics":\[\[/ }),
    },
    {
      reason: 'null counts as absent for optional transaction fields, as in geth',
      matches: where({ name: sends, request: /^eth_sendTransaction .*":null/, theirs: /invalid type: null/ }),
    },
    {
      reason: 'an empty string is not a number, an empty list is not bytes, and excess arguments are refused',
      matches: where({ request: /^\w+ \[.*(""|\[\]|"0x1"\]$)/m, ours: /"code":-32602/ }),
    },
    {
      reason:
        'the newest block of a fee history must be a number or a tag, and its count must have digits, as in the standard',
      matches: where({ name: /^eth_feeHistory \| -32602/ }),
    },
    {
      reason: 'a filter id that is not a number is an unknown filter',
      matches: where({ name: /^eth_(getFilter|uninstallFilter)/, theirs: /expected a 32 byte hex string/ }),
    },
    {
      reason: 'an instruction that lacks both stack items and gas fails for the stack items, as in geth',
      matches: where({ ours: /without a reason string/, theirs: /ran out of gas/, request: /c0c017"/ }),
    },
    { reason: 'the client version is that of this node', matches: where({ name: /clientVersion/ }) },
    {
      reason: 'there are no subscriptions over HTTP, where nothing can be pushed',
      matches: where({ name: /^eth_(un)?subscribe/ }),
    },
    {
      reason:
        'transactions of impersonated accounts have different placeholder signatures, and so different hashes',
      matches: where({
        name: /^eth_sendTransaction \| \.result$/,
        request: /after hardhat_impersonateAccount/,
      }),
    },
  ],
  anvil: [
    {
      reason: 'the fees of a removed block are forgotten; anvil remembers them by block number',
      matches: where({
        name: /^eth_(sendTransaction|sendUnsignedTransaction|signTransaction|fillTransaction|gasPrice|maxPriorityFeePerGas|feeHistory) \| \.result/,
        request: /^eth_\w+ \[?(?!.*(gasPrice|maxPriorityFeePerGas)")/,
      }),
    },
    {
      reason: 'a reset without a URL starts a fresh chain whatever its other options, as clients intend',
      matches: where({ name: /_reset/, theirs: /Forking not enabled/ }),
    },
    {
      reason: 'nonces have 64 bits',
      matches: where({ name: /(setNonce|AccountNonce)/, ours: /hex number > 64 bits/ }),
    },
    {
      reason:
        'transactions of impersonated accounts have different placeholder signatures, and so different hashes',
      matches: where({
        name: /^eth_send(Unsigned)?Transaction \| \.result$/,
        request: /impersonate|SendUnsigned|sendUnsigned/i,
      }),
    },
    {
      reason: "the fork's system contracts are deployed, as the EIPs specify",
      matches: where({
        request:
          /^\w+ .*"0x(00000961ef480eb55e80d19ad83579a64c007002|0000bbddc7ce488642fb579f8b00f3a590007251|000f3df6d732807ef1319fb7b8bb8522d0beac02)"/,
      }),
    },
    {
      reason:
        "a simulated block extends the head, as in geth; anvil's has no parent and the number of the head",
      matches: where({ name: /^eth_simulateV1/, request: /^eth_simulateV1/ }),
    },
    {
      reason:
        'the time and base fee of a block that replaces another follow from its parent; settings of controls are kept',
      matches: where({
        request: /after (anvil_(reorg|rollback)|evm_revert|anvil_revert)/,
        name: /(baseFeePerGas|timestamp|gasLimit|miner|eth_(gasPrice|feeHistory|sendTransaction|fillTransaction|signTransaction) \| .*)$/,
      }),
    },
    {
      reason: 'the clock is never before the head, and a reset resets it',
      matches: where({
        name: /(timestamp|Timestamp|Time)$/,
        request: /(setTime|_reset|etNextBlockTimestamp)/,
      }),
    },
    {
      reason:
        "a reset restores the genesis base fee and drops snapshots; anvil's then lead to removed blocks",
      matches: where({
        request:
          /^(evm|anvil)_revert|head after (hardhat|anvil)_reset|after (hardhat|anvil)_reset|after (evm|anvil)_revert/,
      }),
    },
    {
      reason:
        'options of evm_mine and resets may have JSON numbers or strings, and each member is optional, as in other nodes',
      matches: where({
        theirs: /untagged enum (MineOptions|ForkingVariants)|expected (u64|usize)"/,
        ours: /"result"/,
      }),
    },
    {
      reason: 'mined transactions are traced step by step without a node option',
      matches: where({ name: /^debug_trace(Transaction|Block\w+) \| \.result.*structLogs/ }),
    },
    {
      reason:
        'methods that anvil does not implement are answered: typed data of all versions, and eth_submitWork',
      matches: where({ theirs: /Not implemented/ }),
    },
    {
      reason: 'the protocol version is that of the provider',
      matches: where({ name: /^eth_protocolVersion/ }),
    },
    {
      reason: 'a rollback of no blocks succeeds',
      matches: where({ name: /^anvil_rollback/, theirs: /Required data unavailable/ }),
    },
    {
      reason: 'a legacy transaction signed for another chain is refused',
      matches: where({ name: sends, ours: /invalid chain id for signer/ }),
    },
    {
      reason: 'arguments that are optional in the standard are optional',
      matches: where({
        ours: /"result"/,
        theirs: /expected params sequence with length|expected tuple variant|expected struct GethDebug/,
      }),
    },
    { reason: 'anvil crashes', matches: where({ theirs: /^\{"closed"/ }) },
    {
      reason: 'of several errors in a call, a different one is reported first',
      matches: where({
        name: /^(eth_(call|createAccessList|estimateGas|fillTransaction)|debug_traceCall)/,
        ours: /"error"/,
        theirs: /"error"/,
      }),
    },
    {
      reason:
        'a transaction with a priority fee above its fee cap is not signed, because every node refuses it',
      matches: where({ name: /^eth_signTransaction/, ours: /priority fee per gas higher/ }),
    },
    {
      reason: 'valid calls of a batch are answered even if other items are invalid, as JSON-RPC specifies',
      matches: where({ name: /^a body/, request: /^\[/ }),
    },
    {
      reason:
        'notifications and additional members are accepted, and params of another type are reported as invalid',
      matches: where({ name: /^a body/, request: /^\{"jsonrpc"/ }),
    },
    {
      reason: 'prevRandao is derived from the parent; in anvil it is random',
      matches: where({ name: /mixHash$/ }),
    },
    {
      reason: "arguments are refused with anvil's code and geth's message",
      matches: where({ ours: /"code":-32602/, theirs: /"code":-32602/ }),
    },
    {
      reason: 'of several errors in a transaction, a different one is reported first',
      matches: where({ name: sends, ours: /"error"/, theirs: /"error"/ }),
    },
    {
      reason: 'conflicting fields and empty lists of authorizations or blobs are refused, as in geth',
      matches: where({
        ours: /gasPrice and|are set and not equal|authorization|blob|chainId does not match/,
        request: /^eth_(send|call|estimate)/,
      }),
    },
    {
      reason: 'invalid blob hashes are refused only in transactions that are sent',
      matches: where({
        name: /^eth_(fill|sign)Transaction/,
        request: /^eth_\w+ .*"blobVersionedHashes":\[/,
        theirs: /Failed to decode transaction/,
      }),
    },
    {
      reason: "accounts sign for a chain id set by a control; anvil's accounts keep the initial one",
      matches: where({ theirs: /does not match the signer's chain ID \(31337\)/, ours: /"result"/ }),
    },
    {
      reason: 'impersonated accounts are listed in a fixed order; in anvil in an arbitrary one',
      matches: where({ name: /^eth_(accounts|requestAccounts) \| \.result\[\]$/ }),
    },
    {
      reason: 'queued transactions can be dropped; in anvil only pending ones',
      matches: where({ name: /dropTransaction \| \.result$/, theirs: /^null/ }),
    },
    {
      reason: 'transactions of the pending block are not traced',
      matches: where({ ours: /tracing on top of pending is not supported/ }),
    },
    {
      reason: 'a header has no members of a block, and the pending block has a header',
      matches: where({ name: /^erigon_getHeaderByNumber \| \.result(\.\w+ missing here)?$/ }),
    },
    {
      reason: 'the first page has nothing newer, and the last page nothing older',
      matches: where({ name: /^ots_searchTransactions\w+ \| \.result\.(first|last)Page$/ }),
    },
    {
      reason: 'debug_traceCall takes a txIndex, as in geth',
      matches: where({ name: /^debug_traceCall/, request: /^debug_traceCall .*"txIndex"/ }),
    },
    {
      reason: 'a transaction with a gas price and a tip gets its estimated gas; in anvil that of a block',
      matches: where({
        name: /^eth_(send|sign)Transaction \| \.result$/,
        request: /^eth_\w+ .*"gasPrice":.*"maxPriorityFeePerGas":/,
      }),
    },
    {
      reason: 'an invalid timeout is refused, as in geth',
      matches: where({ ours: /time: (unknown unit|invalid duration|missing unit)/ }),
    },
    {
      reason: "steps of a vmTrace have Parity's members",
      matches: where({ name: /\.vmTrace\./ }),
    },
    {
      reason: 'the pending block has no uncles; anvil does not find it',
      matches: where({ name: /^eth_getUncleCountByBlockNumber/, request: /"pending"/ }),
    },
    {
      reason: 'this node has methods that anvil lacks, subscriptions over WebSocket only',
      matches: where({ theirs: /Method not found/ }),
    },
    {
      reason: 'controls also accept numbers as hex and decimal strings, but not as empty strings',
      matches: where({ name: /^(anvil|evm)_\w+ \|/, request: /"0x|""/, ours: /"result":null|"code":-32602/ }),
    },
    {
      reason: 'a block gas limit of zero is refused, as in hardhat',
      matches: where({ ours: /Block gas limit must be greater than 0/ }),
    },
    {
      reason: 'arguments of fee histories and indices are checked like in geth',
      matches: where({
        name: /^eth_(feeHistory|getTransactionBy)/,
        ours: /"error"/,
        theirs: /"result"/,
      }),
    },
    {
      reason: 'prevRandao is derived from the parent, also for code that reads it; in anvil it is random',
      matches: where({
        name: /^(eth_call \| \.result$|trace_\w+ \| .*output$)/,
        request: /c0c01e"/,
      }),
    },
    {
      reason: 'a creation below its intrinsic gas is refused, as in geth; anvil keeps it pending',
      matches: where({ name: sends, ours: /intrinsic gas too low/, theirs: /"result"/ }),
    },
    {
      reason: 'of several errors in an estimate, the one about gas is reported first',
      matches: where({ name: /^eth_estimateGas/, ours: /Out of gas/, theirs: /"code":-320/ }),
    },
    {
      reason: 'the newest fork is Osaka, because networks of this node have no blob parameter forks',
      matches: where({ name: /anvil_nodeInfo \| \.result\.(hardFork|network)/ }),
    },
    { reason: 'the client version is that of this node', matches: where({ name: /clientVersion/ }) },
    {
      reason: 'an omitted block parameter means the latest block, as in geth',
      matches: where({ name: /^eth_get\w+ \| result/, theirs: /invalid length \d+, expected tuple variant/ }),
    },
    {
      reason: 'a transaction is mined before its hash is returned; in anvil shortly after',
      matches: ({ name, ours, theirs }) =>
        name.startsWith('head after eth_send') && numberIn(ours) === numberIn(theirs) + 1,
    },
    {
      reason: 'tracing an unknown transaction is an error; anvil returns an empty trace',
      matches: where({ name: /^debug_traceTransaction \| -32000 transaction not found/ }),
    },
    {
      reason: 'the transaction count of an unknown block is null, as in geth',
      matches: where({ name: /^eth_getBlockTransactionCountByNumber \| result/ }),
    },
    {
      reason: 'the header of the genesis block never changes; in anvil, setting the next base fee changes it',
      matches: where({ name: /baseFeePerGas$/, request: /"(0x0|earliest|safe|finalized)"/ }),
    },
  ],
}
