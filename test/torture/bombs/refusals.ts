import { isFull } from '../settings.js'

/** Traces longer than an answer may be; the short version gives the code less gas. */
const largeTraces = isFull
  ? [
      /struct logs (with memory )?of (cold|LOG0|different hashes$|calls of empty|SSTORE)/,
      /struct logs with memory of (different hashes of|RETURNDATACOPY|LOG4|CREATE2)/,
      /struct logs of (ecrecover|calls of itself$)/,
      /struct logs with memory of calls of itself/,
      /(callTracer|erc7562Tracer|muxTracer) of calls of itself$/,
      /callTracer of (LOG|CREATE2|ecrecover)/,
      /(erc7562|keccak256Preimage)Tracer of different hashes/,
      /(erc7562|mux)Tracer of (calls of empty accounts|CREATE2)/,
    ]
  : [
      /struct logs (of|with memory of) cold SLOAD/,
      /struct logs with memory of (different hashes of|RETURNDATACOPY|calls of itself with)/,
    ]

/**
 * Parts of the expected refusal messages, by bomb name: a request that is read completely before it is refused costs as
 * much as an accepted one.
 */
const refusals: readonly (readonly [name: RegExp, message: string])[] = [
  [/^WebSocket: (a message in a million pieces|a million empty pieces)/, '1008'],
  [/^WebSocket: (a million messages of a bracket|thirty megabytes of spaces)/, '1000'],
  // As in Kubo: the links of a dag-pb node have names, and these have others.
  [/^dag\/resolve.*\/Links\/40000\/Hash/, 'no link named'],
  [/^pipelined requests to an unknown path/, 'HTTP/1.1 404 '],
  [/^pipelined requests to an invalid path/, 'HTTP/1.1 400 '],
  [/^WebSocket: a million messages of a number/, 'invalid request'],
  [/^WebSocket: thirty megabytes of invalid UTF-8/, '1007'],
  [/^WebSocket: thirty masked megabytes/, '1000'],
  [
    /^debug_traceCall: a tracer (that (loops|searches|reads other)|whose source loops|with a regular expression)/,
    'execution timeout',
  ],
  [/^debug_traceCall: a tracer that returns thirty megabytes/, 'out of memory'],
  [/^debug_traceCall: a tracer that throws seven/, 'Error: xxx'],
  [/^debug_traceCall: a tracer that throws deep/, '[[['],
  [/^debug_traceCall: a tracer that concatenates forever/, 'string too long'],
  ...largeTraces.map((name) => [name, 'response too large'] as const),
  [/^debug_traceBlock: a raw block/, 'too few elements for types.Header'],
  [/^debug_traceCall: a duration of a megabyte/, 'a duration of more than 1024 characters'],
  [/^debug_traceCall: a configuration of 200,000 members/, 'tracerConfig is larger than '],
  [/^debug_traceCall: ten thousand programs/, 'more than 32 tracers'],
  [/^debug_traceBlock: fifty thousand transactions/, 'not found'],
  [/^evm_setIntervalMining: /, 'expected a pair'],
  [/^eth_createAccessList: (static calls|cold)/, 'intrinsic gas too low'],
  [
    /^eth_(estimateGas|sendTransaction): (an access list of fifty|10,000 auth)/,
    'gas required exceeds allowance',
  ],
  [/^eth_(call|estimateGas): initcode of ten megabytes/, 'max initcode size exceeded'],
  [/^eth_getProof: ten thousand keys/, 'too many storage keys'],
  [/^eth_getStorageValues: ten thousand slots/, 'too many slots'],
  [/^eth_feeHistory: reward percentiles with fractions/, 'over the query limit 100'],
  [/^eth_(getLogs|newFilter): (ten|a hundred) thousand/, 'query exceeds 5000 parameters'],
  [/^eth_getLogs: all of 100,000 logs/, 'query returned more than 10000 results'],
  [/^eth_sendRawTransaction: deep RLP/, 'rlp: '],
  [/^eth_sendRawTransaction: /, 'oversized data'],
  [/^eth_call: an override of code of PUSH32/, 'stack limit reached'],
  [/^eth_(estimateGas|sendTransaction): five megabytes of data/, 'gas required exceeds allowance'],
  [/^anvil_loadState: (an invalid state|a gigabyte)/, 'Failed to decode state dump'],
  [/^eth_simulateV1: unknown override members/, 'unknown field'],
  [/^eth_simulateV1: ten thousand calls/, 'too many calls in block'],
  [/^eth_getBalance: a quantity of ten million digits/, 'hex number'],
  [/^eth_getBalance: an address of ten million digits/, 'want 40 for common.Address'],
  [/^eth_sendTransaction: an access list of a transaction/, 'oversized data'],
  [/^a transaction of 10,000 authorizations/, 'oversized data'],
  [/^a blob transaction with a wrong proof/, 'invalid proof'],
  [/^(cat|block\/get|pin\/add|ls|dag\/resolve|unknown): /, 'invalid path'],
  [/^name\/resolve: base36/, 'cannot resolve: '],
  [/^name\/resolve: /, 'DNSLink lookup'],
  [/^regex-like: /, 'pin name is 5000 bytes'],
  [/^cat\?.*(a shard of|a directory of|a chain of|a node of)/, 'this dag node is a directory'],
  [/^\/ipfs\/CID\?format=dag-json: /, 'codec conversion'],
  [/^\/ipfs\/CID\/99999: (a shard|a file of 150|a chain|a directory of 20)/, 'failed to resolve'],
  [/^files\/read\?.*(a shard|a directory|a chain)/, 'was not a file'],
  [/^files\/write\?arg=\/wide&.*(a shard|a directory|a chain)/, 'was not a file'],
  [/^files\/(mkdir|chcid|write)\?arg=\/wide(\/|&cid).*a shard/, 'Invalid typed array length'],
  [/^files\/write\?arg=\/wide\/new.*a file of 150/, 'Not a directory'],
  [/^files\/mkdir\?.*a file of 150/, 'was not a directory'],
  [/^files\/chcid\?.*a file of 150/, 'can only update directories'],
  [/^dag\/resolve\?arg=CID\/0\/0: a million empty maps/, 'key not found'],
  [/^dag\/resolve\?arg=CID\/0\/0: (a million|two hundred thousand (floats|int))/, 'LookupBySegment'],
  [/^dag\/resolve\?arg=CID\/0\/0: two hundred thousand names/, 'no link named'],
  [/^dag\/resolve\?arg=CID\/0: (bytes|a string)/, 'LookupBySegment'],
  [/^dag\/put: (a string of sixty|twenty megabytes of Base64)/, 'a string of more than 4194304 bytes'],
  [/^object\/patch\/rm-link.*long names/, 'no link by that name'],
  [/^key\/sign: sixty/, 'input is larger than '],
  [/^dag\/put: sixty megabytes of dag-cbor/, 'demanded too many resources'],
  [/^dag\/put: a long number/, 'a number of more than 65536 characters'],
  [/^dag\/put.*: deep dag-/, 'maximum nesting depth'],
  [/^dag\/import: a CID of a megabyte/, 'longer than 1024 bytes'],
  [/^dag\/import: seven hundred thousand/, 'beyond allowable maximum'],
  [/^dag\/import: (not a CAR|a header)/, 'invalid header'],
  [/^(config\/replace: |key\/import: |name\/publish\?arg)/, 'input is larger than '],
  [/^standin_importBlocks: /, ''],
  [/^(a body of one string with escapes|deep objects)/, 'invalid request'],
  [/^(a body of brackets|a name of ten|an id of ten million|numbers with many digits)/, 'parse error'],
  [/^a body of a hundred megabytes/, 'content length too large'],
  [/^a million (parameters|empty objects)/, 'cannot unmarshal non-string'],
  [/^a batch of a thousand logs of all blocks/, 'query returned more than 10000 results'],
  [/^a batch of a million/, 'batch too large'],
  [/^a body of (two-byte characters|emoji)/, 'hex string without 0x prefix'],
  [/^a method of ten megabytes/, 'method name too long'],
  [/^a million names/, 'An object has more than 340000 members'],
  [/^deep parameters/, 'cannot unmarshal array'],
  [/^\/_standin\/outages.*two megabytes/, 'status 404'],
  [/^\/_standin.*(two megabytes|hundreds of thousands|code of a megabyte)/, 'status 400'],
  [/^multibase\/(decode|encode|transcode): base(58|36) of 300/, 'too long for base'],
  [/^multibase\/encode: base10/, 'unsupported multibase encoding'],
]

/** Returns part of the expected refusal message of a bomb; undefined if the bomb should succeed. */
export function expectedRefusal(name: string): string | undefined {
  return refusals.find(([pattern]) => pattern.test(name))?.[1]
}
