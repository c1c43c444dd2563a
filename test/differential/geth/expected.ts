import type { Difference, ExpectedDifference } from '../support/classes.js'

/** Matches differences whose members match all the given patterns. */
function where(pattern: Partial<Record<keyof Difference, RegExp>>): ExpectedDifference['matches'] {
  const entries = Object.entries(pattern) as [keyof Difference, RegExp][]
  return (difference) => entries.every(([member, expression]) => expression.test(difference[member]))
}

/** Intended differences from geth, with their reasons. */
export const expectedDifferences: readonly ExpectedDifference[] = [
  {
    reason: "the provider's documentation requires both EIP-1559 fees in eth_createAccessList, or neither",
    matches: where({ ours: /maxFeePerGas and maxPriorityFeePerGas must be given together/ }),
  },
  {
    reason: 'eth_createAccessList accepts a gas price of zero, as the provider documents',
    matches: where({
      name: /^(eth_createAccessList|batch) /,
      request: /asPrice"\s*:\s*"(0x0)?"/i,
      theirs: /gasPrice must be non-zero after london fork/,
    }),
  },
  {
    reason:
      'the pending block has the random value, the beacon root and the extra data of a block mined here',
    matches: where({
      name: /^(eth_getBlockByNumber|eth_simulateV1|batch) .*\.(extraData|mixHash|(parentH|h)ash)$/,
      request: /"pending"/,
    }),
  },
  {
    reason: 'so does its fee recipient, whose address is warm',
    matches: where({
      name: /^(eth_simulateV1|batch) .*\.(gasUsed|maxUsedGas|miner|returnData|stateRoot|receiptsRoot)$/,
      request: /"pending"/,
    }),
  },
  {
    reason: 'so executing it reads the contract of beacon roots, and another account',
    matches: where({
      name: /^(debug_executionWitness|batch) .*\.(codes|state)\[\]( length)?$/,
      request: /"pending"/,
    }),
  },
  {
    reason:
      'so the contract of beacon roots has another storage root, which is part of proofs of other accounts',
    matches: where({ name: /^(eth_getProof|batch) .*\.accountProof\[\]$/, request: /"pending"/ }),
  },
  {
    reason: 'so messages have another hash or time of it',
    matches: where({
      request: /"pending"/,
      ours: /((block|header) #\[[\d ]+\] not found|out of range for block 0x|timestamps must be in order)/,
      theirs: /((block|header) #\[[\d ]+\] not found|out of range for block 0x|timestamps must be in order)/,
    }),
  },
  {
    reason: 'the tries of the pending block can be read; geth has none',
    matches: where({
      name: /^(eth_getProof|debug_storageRangeAt|batch) /,
      request: /"pending"/,
      theirs: /missing trie node/,
    }),
  },
  {
    reason: "an unknown method is refused with the provider's message",
    matches: where({ ours: /The method .* does not exist/, theirs: /the method .* does not exist/ }),
  },
  {
    reason:
      'a gas price equal to the fee cap is accepted: the standard form of a mined EIP-1559 transaction has both',
    matches: where({
      request:
        /asPrice"\s*:\s*(?:("0x[0-9a-f]+")\s*,\s*"(?:m|\\u006d)axFeePerGas"\s*:\s*\1|"(0x0)?"\s*,\s*"(?:m|\\u006d)axFeePerGas"\s*:\s*"(0x0)?")/i,
    }),
  },
  {
    reason: 'timeouts and block numbers are also accepted as strings, because some clients send them so',
    matches: where({
      request: /eth_sendRawTransactionSync|debug_getModifiedAccountsByNumber/,
      theirs: /cannot unmarshal (string|number|array|object|bool).* into Go value of type (uint64|int)\b/,
    }),
  },
  {
    reason: 'errors in JavaScript tracers have the messages and positions of another engine',
    matches: where({ ours: /"error"/, theirs: /( at (\w+ \()?(<|\\u003c)eval|SyntaxError: )/ }),
  },
  {
    reason: 'there is no cap on transaction fees, as on other development nodes; that of geth is one ether',
    matches: where({ theirs: /tx fee \([\d.]+ ether\) exceeds the configured cap \(1\.00 ether\)/ }),
  },
  {
    reason: 'a simulation gets 50,000,000 gas, the default of geth, whatever the gas cap of calls',
    matches: where({
      name: /^(eth_simulateV1|batch) /,
      ours: /\(supplied gas [1-5]\d{7}\)/,
      theirs: /\(supplied gas \d{8,}\)/,
    }),
  },
  {
    reason: 'so the gas of a later call is capped, and its transaction has another hash',
    matches: where({
      name: /^(eth_simulateV1|batch) .*\.(hash|transactions\[\](\.\w+)?)$/,
      // Less than a block's gas is left after 20,000,000.
      ours: /"gasUsed":"0x1[3-9a-f][\da-f]{5}"/,
    }),
  },
  {
    reason: 'so no gas may be left for a later call',
    matches: where({
      name: /^(eth_simulateV1|batch) /,
      ours: /intrinsic gas too low: have 0, .*\(supplied gas 0\)/,
    }),
  },
  {
    reason:
      'so in a simulated block with a higher gas limit, a call without gas gets different gas and a different hash',
    matches: where({
      name: /^eth_simulateV1 .*\b(hash|transactionsRoot|gas|gasUsed)$/,
      request: /"gasLimit":"0x([3-9a-f][0-9a-f]{6}|[0-9a-f]{8,})"/,
    }),
  },
  {
    reason: 'a transaction without a tip is accepted, as on other development nodes',
    matches: where({ theirs: /gas tip cap 0, minimum needed 1/ }),
  },
  {
    reason: 'signatures with a chain id are accepted before EIP-155, because clients make no others',
    matches: where({
      name: /^eth_sendRawTransaction /,
      request: /"0xf8/,
      theirs: /invalid sender: invalid transaction v, r, s values/,
    }),
  },
  {
    reason: 'a sender who cannot pay the blob base fee is refused; in geth its balance wraps around',
    matches: where({
      name: /^(eth_simulateV1|batch) /,
      request: /"blobVersionedHashes":\[/,
      ours: /insufficient funds for gas \* price \+ value/,
    }),
  },
  {
    reason: '"earliest" is the genesis block; geth looks for block number -5 and finds none',
    matches: where({ request: /"earliest"/, theirs: /block #-5 not found/ }),
  },
  {
    reason: 'an invalid timeout is reported before an error in a JavaScript tracer',
    matches: where({
      ours: /time: (unknown unit|invalid duration|missing unit)/,
      theirs: / at (\w+ \()?(<|\\u003c)eval|trace object must expose|SyntaxError: /,
    }),
  },
  {
    reason: 'requireCanonical has no meaning beside a block number, so messages ignore it',
    matches: where({ ours: /\{0x[0-9a-f]+ .*nil.* false\} not found/, theirs: /nil.* true\} not found/ }),
  },
  {
    reason: "geth decodes the accounts of a simulation's overrides in random order",
    matches: where({
      name: /^(eth_simulateV1|batch) /,
      request: /"stateOverrides"\s*:\s*\{\s*"[^"]*"\s*:[^]*"0x/i,
      ours: /invalid argument|in state override for/,
      theirs: /invalid argument|in state override for/,
    }),
  },
  {
    reason:
      'a tip and a base fee whose sum exceeds 256 bits are compared with the fee cap; in geth the sum overflows',
    matches: where({
      request: /"baseFeePerGas":"0xf{64}"/,
      ours: /max fee per gas less than block base fee/,
    }),
  },
  {
    reason: 'so does the default fee cap for such a tip',
    matches: where({
      request: /axPriorityFeePerGas"\s*:\s*"0xf{64}"/,
      ours: /gas required exceeds allowance/,
      theirs: /max priority fee per gas higher than max fee per gas/,
    }),
  },
  {
    reason: 'where a handler of geth crashes, the request is answered',
    matches: where({ theirs: /"method handler crashed"/ }),
  },
  {
    reason: 'logs of a system contract whose code is overridden are in no receipt, so they take no log index',
    matches: where({
      name: /logIndex$/,
      request:
        /"(0x0000f90827f1c53a10cb7a02335b175320002935|0x000f3df6d732807ef1319fb7b8bb8522d0beac02)":\{[^}]*"code"/i,
    }),
  },
  {
    reason: 'hex strings may contain JSON escapes, like every JSON string; geth reads the undecoded text',
    matches: where({ request: /"(\\u[0-9a-f]{4}0?x|0x[^"]*\\)/ }),
  },
  {
    reason:
      'messages show decoded values, not their spelling in the request: 1e1 and 10.0 are 10, and \\/ is /',
    matches: where({
      request: /([[,:]-?\d+(\.\d+)?(e[-+]?\d+)?[,}\]]|\\\/|\\u)/,
      theirs:
        /(cannot unmarshal number -?\d+(e|\.\d+)|(integer|big: cannot unmarshal) \\"(-?\d+(e|\.\d+)|.*\\\\(\/|\\u)))/,
    }),
  },
  {
    reason: 'messages show arrays and objects without the white space between their tokens',
    matches: where({
      ours: /big: cannot unmarshal \\"[{[]/,
      theirs: /big: cannot unmarshal \\"[{[].*(\\\\[nrt]| )/,
    }),
  },
  {
    reason: 'a trace without any time fails; in geth it may be done before the clock is noticed',
    matches: where({ request: /"timeout"\s*:\s*"[-+]?0/, ours: /execution timeout/ }),
  },
  {
    reason: 'of repeated members, only the last is decoded',
    matches: where({
      request: /("0x[0-9a-fA-F]+"):null,.*\1:/,
      theirs: /cannot unmarshal non-string into Go struct field/,
    }),
  },
  {
    reason: 'geth has no keys here',
    matches: where({ name: /^(eth_signTransaction|batch) /, theirs: /"unknown account"/ }),
  },
  {
    reason: 'debug_getBadBlocks writes no files',
    matches: where({ request: /"debug_getBadBlocks"/, ours: /too many arguments/ }),
  },
]
