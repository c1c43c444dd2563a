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

const hardhatDifferences: readonly ExpectedDifference[] = [
  {
    reason: "a reset in viem's form is accepted",
    matches: where({ name: /^hardhat_reset/, request: /^hardhat_reset \[\{"forking":\{"blockNumber":null/ }),
  },
  {
    reason: 'of several faults in an encoded transaction, a different one is reported',
    matches: where({ name: /^eth_sendRawTransaction/, ours: /"error"/, theirs: /"error"/ }),
  },
  {
    reason: 'a fee history does not end at an EIP-1898 object',
    matches: where({ request: /eth_feeHistory .*\{"block(Hash|Number)"/, ours: /without 0x prefix/ }),
  },
  {
    reason: 'a filter without a choice for a topic finds nothing, whatever its block',
    matches: where({
      name: /^eth_(getLogs|newFilter)/,
      request: /"blockHash".*\[\]/,
      theirs: /cannot be found/,
    }),
  },
  {
    reason: 'the call to a failing precompile reverts without a reason',
    matches: where({ theirs: /call to precompile \d+ failed/ }),
  },
  {
    reason: 'an error quotes the parameters as sent; hardhat adds the sender to them',
    matches: where({ name: /^a body/, ours: /"method":"eth_/, theirs: /"from":"0xf39fd6/ }),
  },
  {
    reason: 'of repeated members, one that is null does not count, as in geth',
    matches: where({ name: /^a body/, request: /"method":"\w+",.*"method":null/, theirs: /Invalid request/ }),
  },
  {
    reason: 'a log range does not end at a block hash',
    matches: where({ name: /^eth_(getLogs|newFilter)/, request: /Block":\{"blockHash"/ }),
  },
  {
    reason: 'an error quotes the hash of a block, which depends on the genesis',
    matches: where({
      request: /^\w+ .*"\$block"/,
      ours: /invalid value: string|Unable to find a block/,
      theirs: /invalid value: string|Unable to find a block/,
    }),
  },
  {
    reason: 'hardhat crashes, or takes minutes for a long loop',
    matches: where({ theirs: /^\{"closed"/ }),
  },
  {
    reason: 'a message that is not an object is an invalid argument',
    matches: where({ ours: /"code":-32602/, theirs: /TypeError: Cannot (create|read) propert/ }),
  },
  {
    reason: 'transactions and calls are traced with any tracer',
    matches: where({ name: /^debug_trace/, theirs: /currently only supports the default tracer/ }),
  },
  {
    reason: 'blob transactions with cell proofs are accepted, as Osaka demands (EIP-7594)',
    matches: where({
      name: sends,
      request: /^eth_sendRawTransaction \["0x03/,
      theirs: /unexpected string/,
    }),
  },
  {
    reason: 'methods that hardhat lacks are answered, and check their arguments like geth',
    matches: where({ theirs: /"code":-32004/ }),
  },
  {
    reason: "the fork's system contracts are deployed, as the EIPs specify",
    matches: where({
      request:
        /^\w+ .*"0x(00000961ef480eb55e80d19ad83579a64c007002|0000bbddc7ce488642fb579f8b00f3a590007251|0000f90827f1c53a10cb7a02335b175320002935)"/,
    }),
  },
  {
    reason: "transactions, receipts and logs have geth's members",
    matches: where({
      name: /(blockTimestamp|yParity|chainId|baseFeePerBlobGas|blobGasUsedRatio) missing there/,
    }),
  },
  {
    reason: 'the genesis block has no extra data and the transactions root of an empty trie',
    matches: where({ name: /\.result\.(extraData|transactionsRoot)$/, ours: /"number":"0x0"/ }),
  },
  {
    reason: 'hardhat_mine mines every block; those that hardhat only reserves have less gas there',
    matches: where({ request: /after hardhat_mine \["?(0x10|40)/, name: /\.gasLimit$/ }),
  },
  {
    reason: 'block numbers beyond 2^63 - 1 are invalid arguments',
    matches: where({ ours: /blocknumber too high|block number larger than int64/ }),
  },
  {
    reason: 'a balance wraps at 256 bits, as in geth; in revm such a transfer fails',
    matches: where({ request: /after hardhat_setBalance \["0x\w+","0xf{64}"/ }),
  },
  {
    reason: 'a refused transaction takes no snapshot id; hardhat takes one for most of them',
    matches: where({ name: /^evm_snapshot \| \.result/, request: /after eth_send/ }),
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
    reason: 'an instruction that lacks both stack items and gas fails for the stack items, as in geth',
    matches: where({ ours: /without a reason string/, theirs: /ran out of gas/, request: /c0c017/ }),
  },
  { reason: 'the client version is that of this node', matches: where({ ours: /^"\w+\/.*Standin\/v/i }) },
  {
    reason: 'compilations are accepted unchecked',
    matches: where({ request: /hardhat_addCompilationResult/ }),
  },
  {
    reason: 'there are no subscriptions over HTTP, where nothing can be pushed',
    matches: where({ name: /^eth_(un)?subscribe/ }),
  },
]

/** What hardhat 3 does differently from hardhat 2, which `--compat hardhat` follows. */
const hardhat3Differences: readonly ExpectedDifference[] = [
  {
    reason: 'hardhat 3 has fewer methods than hardhat 2',
    matches: where({ theirs: /is not supported"/ }),
  },
  {
    reason: 'hardhat 3 estimates the gas of a transaction, and takes its fees from the history',
    matches: where({
      name: /^eth_sendTransaction/,
      request: /^eth_sendTransaction (?!.*"gas":.*"gasPrice":)/,
    }),
  },
  {
    reason: "hardhat 3 traces in geth's format, without memory and storage unless asked for",
    matches: where({ name: /^debug_trace/ }),
  },
]

const anvilDifferences: readonly ExpectedDifference[] = [
  {
    reason:
      'a gas price equal to the fee cap does not make a transaction one of type 0: mined ones of type 2 have both',
    matches: where({
      name: /^eth_(sendTransaction|signTransaction|fillTransaction) \| \.result/,
      request: /"gasPrice":("\w+").*"maxFeePerGas":\1/,
    }),
  },
  {
    reason:
      'transactionCount is that of the block, which Otterscan divides into pages; in anvil it is that of the page',
    matches: where({ name: /^ots_getBlockTransactions .*\.transactionCount/ }),
  },
  {
    reason: "ots_traceTransaction shows creations, as Otterscan's specification says",
    matches: where({ name: /^ots_traceTransaction/, ours: /"type":"CREATE/, theirs: /"result":\[/ }),
  },
  {
    reason: 'the suggested tip is that of the head; anvil looks it up later, and remembers removed blocks',
    matches: where({
      name: /^eth_(sendTransaction|sendUnsignedTransaction|signTransaction|fillTransaction|gasPrice|maxPriorityFeePerGas|feeHistory) \| \.result/,
      request: /^eth_\w+ \[?(?!.*(gasPrice|maxFeePerGas)")/,
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
        /^\w+ .*"0x(00000961ef480eb55e80d19ad83579a64c007002|0000bbddc7ce488642fb579f8b00f3a590007251|0000f90827f1c53a10cb7a02335b175320002935|000f3df6d732807ef1319fb7b8bb8522d0beac02)"/,
    }),
  },
  {
    reason:
      "a simulated block extends the head, as in geth; anvil's has no parent and the number of the head",
    matches: where({ name: /^eth_simulateV1/, request: /^eth_simulateV1/ }),
  },
  {
    reason:
      'the base fee of a block that replaces another follows from its parent; settings of controls are kept',
    matches: where({
      request: /after (anvil_(reorg|rollback)|evm_revert|anvil_revert)/,
      name: /(baseFeePerGas|gasLimit|miner|eth_(gasPrice|feeHistory|sendTransaction|fillTransaction|signTransaction) \| .*)$/,
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
    reason: "a reset restores the genesis base fee and drops snapshots; anvil's then lead to removed blocks",
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
      name: /^(eth_(call|createAccessList|estimateGas|fillTransaction)|debug_trace)/,
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
    matches: where({ name: /^a body/, request: /^\{/ }),
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
      request: /^eth_(send|call|estimate|sign|fill|createAccessList)/,
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
    reason: 'a block whose system contracts fail is not made, as EIP-7002 and EIP-7251 specify',
    matches: where({ ours: /system call failed/ }),
  },
  {
    reason: 'hashes of blobs are refused without the blobs; anvil accepts them from impersonated accounts',
    matches: where({ request: /"blobVersionedHashes"/, ours: /Failed to decode transaction/ }),
  },
  {
    reason: 'all tracers of geth are known',
    matches: where({ request: /"tracer":"\w+"/, theirs: /failed to evaluate JS code|"result":\{\}/ }),
  },
  {
    reason: 'state overrides move precompiles, as in geth',
    matches: where({ request: /"movePrecompileToAddress"/, ours: /is not a precompile|result/ }),
  },
  {
    reason: 'a creation without code runs no instruction, as in geth',
    matches: where({ name: /^debug_traceCall .*structLogs\[\] length/, theirs: /"op":"STOP"/ }),
  },
  {
    reason: 'an account at the pending block has its code hash',
    matches: where({ name: /^eth_getAccount \| \.result\.codeHash/, request: /"pending"/ }),
  },
  {
    reason: 'numbers of ots_getBlockTransactions and trace_filter may be text',
    matches: where({ name: /^(ots_getBlockTransactions|trace_filter)/, theirs: /expected u(64|size)"/ }),
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
      name: /^((eth_call|debug_traceCall) \| \.result(\.returnValue)?$|(trace|evm|ots)_\w+ \| .*output$)/,
      // In the call, or in a signed transaction without a value.
      request: /c0c01e("|80)/,
    }),
  },
  {
    reason: 'the largest number of 64 bits is a time; anvil refuses it',
    matches: where({
      name: /^\w+_setTime /,
      request: /"0xffffffffffffffff"/,
      theirs: /timestamp is too big/,
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
    reason: 'the pending block has no traces; in anvil it has those of a transaction that is being mined',
    matches: where({
      name: /^(trace_block|debug_traceBlockByNumber) \| \.result\[\] length/,
      request: /^\w+ \["pending"/,
    }),
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
    matches: where({ name: /baseFeePerGas$/, request: /"(0x0|earliest|safe|finalized)"|^\w+ \[0\b/ }),
  },
]

/** Intended differences from the development nodes, with their reasons. */
export const expectedDifferences: Readonly<Record<PeerName, readonly ExpectedDifference[]>> = {
  hardhat: hardhatDifferences,
  hardhat3: [...hardhatDifferences, ...hardhat3Differences],
  anvil: anvilDifferences,
}
