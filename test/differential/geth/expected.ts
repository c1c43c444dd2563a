import type { Difference, ExpectedDifference } from '../support/classes.js'

/** Differences by what their names, requests or answers have in them. */
function where(pattern: Partial<Record<keyof Difference, RegExp>>): ExpectedDifference['matches'] {
  const entries = Object.entries(pattern) as [keyof Difference, RegExp][]
  return (difference) => entries.every(([member, expression]) => expression.test(difference[member]))
}

/** What is meant to differ from geth, with the reason. */
export const expectedDifferences: readonly ExpectedDifference[] = [
  {
    reason: "the provider's document wants both fees of EIP-1559 in eth_createAccessList, or none",
    matches: where({ ours: /maxFeePerGas and maxPriorityFeePerGas must be given together/ }),
  },
  {
    reason: 'in eth_createAccessList a gas price of zero is fine, as the document has it',
    matches: where({
      name: /^(eth_createAccessList|batch) /,
      request: /"gasPrice":"(0x0)?"/,
      theirs: /gasPrice must be non-zero after london fork/,
    }),
  },
  {
    reason:
      'the pending block of each node has the time of its clock, and the gas limit that its builder aims at',
    matches: where({ request: /"pending"/i }),
  },
  {
    reason: 'an unknown method is told in the words of the provider',
    matches: where({ ours: /The method \S* does not exist/, theirs: /the method \S* does not exist/ }),
  },
  {
    reason:
      'a gas price that equals the fee cap is that of the standard form of such a transaction, and no contradiction',
    matches: where({ request: /"gasPrice":("0x[0-9a-f]+"),"maxFeePerGas":\1/i }),
  },
  {
    reason: 'numbers are taken as texts too where clients send them so: timeouts and block numbers',
    matches: where({
      request: /eth_sendRawTransactionSync|debug_getModifiedAccountsByNumber/,
      theirs: /cannot unmarshal (string|number|array|object|bool).* into Go value of type (uint64|int)\b/,
    }),
  },
  {
    reason: 'what JavaScript throws is told in the words of another engine, with its places',
    matches: where({ ours: /[A-Za-z]Error: /, theirs: /(Error: .* at (<|\\u003c)eval|SyntaxError: )/ }),
  },
  {
    reason: 'the place in a JavaScript tracer that asked for what is not there is not told',
    matches: where({
      ours: /tracer accessed out of bound/,
      theirs: /tracer accessed out of bound.* at \w+ \((<|\\u003c)eval/,
    }),
  },
  {
    reason:
      'no fee is too high here, as on other development nodes: geth lets nobody pay more than an ether by mistake',
    matches: where({ theirs: /tx fee \([\d.]+ ether\) exceeds the configured cap \(1\.00 ether\)/ }),
  },
  {
    reason: 'a simulation gets the 50,000,000 gas that geth gives by itself, whatever the cap of calls is',
    matches: where({ name: /^(eth_simulateV1|batch) /, ours: /\(supplied gas 50000000\)/ }),
  },
  {
    reason:
      'so a call without gas has other gas, and another hash, in a simulated block that has room for more',
    matches: where({
      name: /^eth_simulateV1 .*\b(hash|transactionsRoot|gas)$/,
      request: /"gasLimit":"0x([3-9a-f][0-9a-f]{6}|[0-9a-f]{8,})"/,
    }),
  },
  {
    reason: 'the earliest block is the first one, where geth looks for number -5 and finds none',
    matches: where({ request: /"earliest"/, theirs: /block #-5 not found/ }),
  },
  {
    reason: 'a timeout that is none is told before what is wrong with a program in JavaScript',
    matches: where({
      ours: /time: (unknown unit|invalid duration|missing unit)/,
      theirs: /Error: .* at (<|\\u003c)eval|trace object must expose|SyntaxError: /,
    }),
  },
  {
    reason: 'whether a block has to be canonical means nothing beside its number',
    matches: where({ ours: /\{0x[0-9a-f]+ .*nil.* false\} not found/, theirs: /nil.* true\} not found/ }),
  },
  {
    reason: "geth decodes the accounts of a simulation's overrides in random order",
    matches: where({
      name: /^(eth_simulateV1|batch) /,
      request: /"stateOverrides":\{"[^"]*":.*"0x/,
      ours: /BlockStateCalls/,
      theirs: /BlockStateCalls/,
    }),
  },
  {
    reason:
      'characters of hexadecimal text may be escaped, as in every text of JSON; geth reads the text as it is written',
    matches: where({ request: /"(\\u0030x|0x\\u003)/ }),
  },
  {
    reason: 'how a value is written is forgotten once it is read: 1e1 and 10.0 are 10, and \\/ is /',
    matches: where({
      request: /([[,:]\d+(e0|\.0)[,}\]]|\\\/)/,
      theirs: /(cannot unmarshal number \d+(e0|\.0)|integer \\"(\d+(e0|\.0)|.*\\\\\/))/,
    }),
  },
  {
    reason: 'no file is written because a request says so',
    matches: where({ request: /"debug_getBadBlocks"/, ours: /too many arguments/ }),
  },
]
