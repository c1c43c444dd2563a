/**
 * Words of the refusals that bombs are meant to get, by their names: what is read to its end before it is refused costs as
 * much as what is done.
 */
const refusals: readonly (readonly [name: RegExp, words: string])[] = [
  [
    /^WebSocket: (a message in a million pieces|a million empty pieces|a million messages of a bracket)/,
    '1008',
  ],
  [/^WebSocket: a million messages of a number/, 'invalid request'],
  [/^WebSocket: thirty megabytes that are no UTF-8/, '1007'],
  [/^WebSocket: thirty masked megabytes/, '1008'],
  [/^debug_traceCall: a tracer (that loops|whose text loops|with a regular expression)/, 'execution timeout'],
  [/^debug_traceCall: a tracer that returns much/, 'out of memory'],
  [/^debug_traceCall: a tracer that joins without end/, 'string too long'],
  [
    /^debug_traceCall: (erc7562|keccak256Preimage)Tracer of different hashes of a megabyte/,
    'response too large',
  ],
  [/^eth_createAccessList: (static calls|cold)/, 'intrinsic gas too low'],
  [/^eth_getProof: ten thousand keys/, 'too many storage keys'],
  [/^eth_getStorageValues: ten thousand slots/, 'too many slots'],
  [/^eth_feeHistory: reward percentiles with fractions/, 'over the query limit 100'],
  [/^eth_(getLogs|newFilter): (ten|a hundred) thousand/, 'query exceeds 5000 parameters'],
  [/^eth_getLogs: all of 100,000 logs/, 'query returned more than 10000 results'],
  [/^eth_sendRawTransaction: deep RLP/, 'rlp: '],
  [/^eth_sendRawTransaction: /, 'oversized data'],
  [/^eth_call: an override of code of PUSH32/, 'stack limit reached'],
  [/^eth_(estimateGas|sendTransaction): five megabytes of data/, 'gas required exceeds allowance'],
  [/^eth_simulateV1: members that no override has/, 'unknown field'],
  [/^eth_simulateV1: ten thousand calls/, 'too many calls in block'],
  [/^eth_getBalance: a quantity of ten million digits/, 'hex number'],
  [/^eth_getBalance: an address of ten million digits/, 'want 40 for common.Address'],
  [/^eth_sendTransaction: an access list of a transaction/, 'oversized data'],
  [/^a transaction of 10,000 authorizations/, 'oversized data'],
  [/^a blob transaction with a wrong proof/, 'invalid proof'],
  [/^(cat|block\/get|pin\/add|ls|dag\/resolve|unknown): /, 'invalid path'],
  [/^name\/resolve: /, 'DNSLink lookup'],
  [/^regex-like: /, 'pin name is 5000 bytes'],
  [/^cat\?.*(a shard of|a directory of|a chain of|a node of)/, 'this dag node is a directory'],
  [/^\/ipfs\/CID\?format=dag-json: /, 'codec conversion'],
  [/^\/ipfs\/CID\/99999: (a shard|a directory|a chain)/, 'no link n'],
  [/^files\/read\?.*(a shard|a directory|a chain)/, 'was not a file'],
  [/^files\/write\?arg=\/wide&.*(a shard|a directory|a chain)/, 'was not a file'],
  [/^files\/mkdir\?.*a shard/, 'Invalid typed array length'],
  [/^dag\/resolve\?arg=CID\/0\/0: a million empty maps/, 'key not found'],
  [/^dag\/resolve\?arg=CID\/0\/0: (a million|two hundred thousand (floats|int))/, 'LookupBySegment'],
  [/^dag\/resolve\?arg=CID\/0\/0: two hundred thousand names/, 'key not found'],
  [/^dag\/resolve\?arg=CID\/0: (bytes|a string)/, 'LookupBySegment'],
  [/^dag\/put: a long number/, 'a number of more than 65536 characters'],
  [/^dag\/put.*: deep/, 'maximum nesting depth'],
  [/^dag\/import: a CID of a megabyte/, 'longer than 1024 bytes'],
  [/^dag\/import: (no CAR|a header)/, 'invalid header'],
  [/^(config\/replace|key\/import): ten megabytes/, 'input is larger than 1048576 bytes'],
  [/^standin_importBlocks: /, ''],
  [/^(a body of one string with escapes|deep objects)/, 'invalid request'],
  [/^a body of (two-byte characters|emoji)/, 'hex string without 0x prefix'],
  [/^a method of ten megabytes/, 'method name too long'],
  [/^deep parameters/, 'cannot unmarshal array'],
  [/^\/_standin\/outages.*two megabytes/, 'status 404'],
  [/^\/_standin.*(two megabytes|hundreds of thousands|code of a megabyte)/, 'status 400'],
  [/^multibase\/(decode|encode|transcode): base(58|36)/, 'too long for base'],
  [/^multibase\/encode: base10/, 'unsupported multibase encoding'],
]

/** Words of the refusal that a bomb is meant to get; undefined if it is meant to be done. */
export function meantRefusal(name: string): string | undefined {
  return refusals.find(([pattern]) => pattern.test(name))?.[1]
}
