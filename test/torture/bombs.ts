import { generateKeyPairSync, sign } from 'node:crypto'
import { createHash } from 'node:crypto'
import type { TorturedNode } from './node.js'
import { isFull } from './settings.js'
import { call, callPlainly, postFiles, uploadBody, type Hex } from './requests.js'

/** A request that costs the node as much as one request can. */
export interface Bomb {
  name: string
  /** Sends the request and waits for whatever answer it gets. */
  run(node: TorturedNode, signal: AbortSignal): Promise<unknown>
}

const TARGET = '0x00000000000000000000000000000000000b0b0b'
const MEGABYTE = '62100000'
/** Geth's cap of a call where all is run, and a tenth of it otherwise. */
const GAS = isFull ? '0x2faf080' : '0x4c4b40'

/** Repeats a body until the gas is used up. */
function loop(body: string, before = ''): Hex {
  const start = before.length / 2
  return `0x${before}5b${body}61${start.toString(16).padStart(4, '0')}56`
}

/** Copies the input of the call to memory, at 0. */
const COPY_INPUT = '365f5f37'

/** Calls a precompile with the input of the call in a loop. */
function precompileLoop(address: number): Hex {
  return loop(`5f5f365f61${address.toString(16).padStart(4, '0')}5afa50`, COPY_INPUT)
}

function word(value: bigint | number): string {
  return value.toString(16).padStart(64, '0')
}

/** A field element of BLS12-381 in 64 bytes (EIP-2537). */
function element(digits: string): string {
  return digits.padStart(128, '0')
}

const blsG1 =
  element(
    '17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
  ) +
  element('08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1')
const blsG2 = [
  '024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8',
  '13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e',
  '0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801',
  '0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be',
]
  .map(element)
  .join('')
const bnG2 = [
  '198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2',
  '1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed',
  '090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b',
  '12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa',
].join('')
const LARGEST = 'f'.repeat(64)
/** The point at infinity, compressed: the commitment to a blob of zeros and its proof (EIP-4844). */
const infinity = `c0${'0'.repeat(94)}`

/** Hash, signature and public key of secp256r1 (EIP-7951). */
function p256Input(): string {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' }) as { x: string; y: string }
  const signature = sign('sha256', Buffer.from('message'), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const digest = createHash('sha256').update('message').digest()
  return Buffer.concat([
    digest,
    signature,
    Buffer.from(x, 'base64url'),
    Buffer.from(y, 'base64url'),
  ]).toString('hex')
}

/** The signature of EIP-155's example transaction, whose sender is known. */
const recoverInput =
  'daf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23dbe92e4fa82' +
  word(28) +
  '28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276' +
  '67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83'

function pointEvaluationInput(): string {
  const versionedHash = createHash('sha256').update(Buffer.from(infinity, 'hex')).digest()
  return `01${versionedHash.toString('hex').slice(2)}${word(2)}${word(0)}${infinity}${infinity}`
}

/** By name: the address of a precompile and what it is called with. */
const precompiles: Record<string, readonly [address: number, input: string]> = {
  ecrecover: [1, recoverInput],
  'sha256 of a megabyte': [2, 'ab'.repeat(1 << 20)],
  'sha256 of nothing': [2, ''],
  'ripemd160 of a megabyte': [3, 'ab'.repeat(1 << 20)],
  'identity of a megabyte': [4, 'ab'.repeat(1 << 20)],
  'modexp of 256 bytes': [5, word(256) + word(256) + word(256) + 'f'.repeat(512 * 3)],
  'modexp of 1024 bytes': [5, word(1024) + word(1024) + word(1024) + 'f'.repeat(2048 * 3)],
  'modexp with an even modulus': [
    5,
    word(512) + word(64) + word(512) + 'f'.repeat(1024 + 128) + 'f'.repeat(1023) + '0',
  ],
  bnAdd: [6, word(1) + word(2) + word(1) + word(2)],
  bnMul: [7, word(1) + word(2) + LARGEST],
  'bnPairing of one pair': [8, word(1) + word(2) + bnG2],
  'bnPairing of 100 pairs': [8, (word(1) + word(2) + bnG2).repeat(100)],
  'blake2f of a million rounds': [9, `000f4240${'ab'.repeat(208)}01`],
  'blake2f of one round': [9, `00000001${'ab'.repeat(208)}01`],
  'point evaluation': [10, pointEvaluationInput()],
  'bls G1 add': [11, blsG1 + blsG1],
  'bls G1 MSM of one': [12, blsG1 + LARGEST],
  'bls G1 MSM of 128': [12, (blsG1 + LARGEST).repeat(128)],
  'bls G2 add': [13, blsG2 + blsG2],
  'bls G2 MSM of one': [14, blsG2 + LARGEST],
  'bls G2 MSM of 128': [14, (blsG2 + LARGEST).repeat(128)],
  'bls pairing of one pair': [15, blsG1 + blsG2],
  'bls pairing of 30 pairs': [15, (blsG1 + blsG2).repeat(30)],
  'bls map to G1': [16, element('1234')],
  'bls map to G2': [17, element('1234') + element('5678')],
  p256verify: [256, p256Input()],
}

/** By name: code that uses up the gas of a call. */
const code: Record<string, Hex> = {
  'an empty loop': loop(''),
  'keccak of a megabyte': loop(`${MEGABYTE}5f2050`),
  'keccak of 32 bytes': loop('60205f2050'),
  'keccak of 8 megabytes once': `0x628000005f20`,
  'MCOPY of a megabyte': loop(`${MEGABYTE}60205f5e`),
  'CALLDATACOPY of a megabyte': loop(`${MEGABYTE}5f5f37`),
  'CODECOPY of a megabyte': loop(`${MEGABYTE}5f5f39`),
  'EXTCODECOPY of a megabyte': loop(`${MEGABYTE}5f5f303c`),
  'RETURNDATACOPY of a megabyte': loop(`${MEGABYTE}5f5f3e`, `5f5f${MEGABYTE}5f60045afa50`),
  'LOG4 of a megabyte': loop(`5f5f5f5f${MEGABYTE}5fa4`),
  'LOG0 of nothing': loop('5f5fa0'),
  'EXP of large numbers': loop('5f195f190a50'),
  'MULMOD of large numbers': loop('5f1960035f195f190950'),
  'SDIV and SMOD': loop('6003195f19056007195f19075050'),
  'MSIZE and MSTORE8 far away': loop('60ff593860051b0153'),
  'CREATE of the largest initcode': loop('61c0005f5ff050'),
  'CREATE2 of the largest initcode': loop('5a61c0005f5ff550'),
  // Memory holds initcode that returns 24,576 zero bytes: PUSH2 6000 PUSH0 RETURN.
  'CREATE of the largest code': loop('60055f5ff050', '6461600060f3601b525f50'),
  'JUMPDEST analysis': loop(
    '61c0005f5ff050',
    '7f5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5f52',
  ),
  'calls of itself': '0x5f5f5f5f5f305af1',
  'calls of itself with memory': `0x${MEGABYTE}5f525f5f5f5f5f305af1`,
  'static calls of empty accounts': loop('5f5f5f5f5a5afa50'.replace('5a5afa', '5a5afa')),
  'cold BALANCE': loop('5a3150'),
  'cold SLOAD': loop('5a5450'),
  'cold EXTCODESIZE': loop('5a3b50'),
  'SSTORE of new slots': loop('5a5a55'),
  'TSTORE of new slots': loop('5a5a5d'),
  BLOCKHASH: loop('5f4050'),
  'a return of four megabytes': '0x624000005ff3',
  'a revert of four megabytes': '0x624000005ffd',
}

function override(codeOfTarget: Hex): object {
  return { [TARGET]: { code: codeOfTarget } }
}

function callOf(codeOfTarget: Hex, data: Hex = '0x'): readonly unknown[] {
  return [{ to: TARGET, data, gas: GAS }, 'latest', override(codeOfTarget)]
}

const computing: Bomb[] = [
  ...Object.entries(precompiles).map(([name, [address, input]]) => ({
    name: `eth_call: ${name}`,
    run: (node: TorturedNode, signal: AbortSignal) =>
      call(node, 'eth_call', callOf(precompileLoop(address), `0x${input}`), signal),
  })),
  ...Object.entries(code).map(([name, codeOfTarget]) => ({
    name: `eth_call: ${name}`,
    run: (node: TorturedNode, signal: AbortSignal) => call(node, 'eth_call', callOf(codeOfTarget), signal),
  })),
]

const counting = loop('60010180505f', '5f')
const otherMethods = ['eth_estimateGas', 'eth_createAccessList'] as const

const tracers: Record<string, object> = {
  'struct logs': {},
  'struct logs with memory': { enableMemory: true, enableReturnData: true },
  callTracer: { tracer: 'callTracer', tracerConfig: { withLog: true } },
  prestateTracer: { tracer: 'prestateTracer' },
  'prestateTracer in diff mode': { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  '4byteTracer': { tracer: '4byteTracer' },
  muxTracer: { tracer: 'muxTracer', tracerConfig: { callTracer: {}, prestateTracer: {} } },
}
const traced: Record<string, Hex> = {
  'a loop': counting,
  'cold SLOAD': code['cold SLOAD']!,
  'cold BALANCE': code['cold BALANCE']!,
  'LOG0 of nothing': code['LOG0 of nothing']!,
  'calls of empty accounts': code['static calls of empty accounts']!,
}

const tracing: Bomb[] = Object.entries(tracers).flatMap(([tracerName, options]) =>
  Object.entries(traced).map(([codeName, codeOfTarget]) => ({
    name: `debug_traceCall: ${tracerName} of ${codeName}`,
    run: (node, signal) =>
      call(
        node,
        'debug_traceCall',
        [{ to: TARGET, gas: '0x989680' }, 'latest', { ...options, stateOverrides: override(codeOfTarget) }],
        signal,
      ),
  })),
)

function params(name: string, method: string, value: () => readonly unknown[]): Bomb {
  return {
    name: `${method}: ${name}`,
    run: (node, signal) => call(node, method, value(), signal),
  }
}

const many = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, i) => make(i))
const hash = (index: number): Hex => `0x${word(index + 1)}`
const address = (index: number): Hex => `0x${word(index + 1).slice(24)}`

const requests: Bomb[] = [
  ...otherMethods.flatMap((method) =>
    ['an empty loop', 'cold SLOAD', 'keccak of a megabyte', 'SSTORE of new slots'].map((name) =>
      params(name, method, () => callOf(code[name]!)),
    ),
  ),
  params('256 empty blocks', 'eth_simulateV1', () => [{ blockStateCalls: many(256, () => ({})) }, 'latest']),
  params('a gap of thousands of blocks', 'eth_simulateV1', () => [
    { blockStateCalls: [{ blockOverrides: { number: '0x100' } }] },
    'latest',
  ]),
  params('a thousand calls', 'eth_simulateV1', () => [
    {
      blockStateCalls: [
        { stateOverrides: override('0x5f5f20505f5fa0'), calls: many(1000, () => ({ to: TARGET })) },
      ],
      returnFullTransactions: true,
    },
    'latest',
  ]),
  params('ten thousand overridden accounts', 'eth_call', () => [
    { to: TARGET },
    'latest',
    Object.fromEntries(many(10_000, (i) => [address(i), { balance: '0x1', code: '0x00' }])),
  ]),
  params('fifty thousand overridden slots', 'eth_call', () => [
    { to: TARGET },
    'latest',
    { [TARGET]: { state: Object.fromEntries(many(50_000, (i) => [hash(i), hash(i)])) } },
  ]),
  params('ten thousand keys', 'eth_getProof', () => [TARGET, many(10_000, hash), 'latest']),
  params('ten thousand slots', 'eth_getStorageValues', () => [{ [TARGET]: many(10_000, hash) }, 'latest']),
  params('1024 blocks with 100 percentiles', 'eth_feeHistory', () => [
    '0x400',
    'latest',
    many(100, (i) => i),
  ]),
  params('fifty thousand entries', 'eth_call', () => [
    { to: TARGET, accessList: many(50_000, (i) => ({ address: address(i), storageKeys: [hash(i)] })) },
    'latest',
  ]),
  params('ten thousand topics', 'eth_getLogs', () => [
    { fromBlock: '0x0', toBlock: 'latest', topics: [many(10_000, hash), many(10_000, hash)] },
  ]),
  params('all of 100,000 logs', 'eth_getLogs', () => [{ fromBlock: '0x0', toBlock: 'latest' }]),
  params('a block of 100,000 logs', 'eth_getBlockReceipts', () => ['0x3']),
  params('thousands of transactions', 'txpool_content', () => []),
  params('thousands of transactions', 'txpool_inspect', () => []),
  params('a string of ten million digits', 'eth_call', () => [{ to: TARGET, data: `0x${'ab'.repeat(5e6)}` }]),
  params('a quantity of ten million digits', 'eth_getBalance', () => [TARGET, `0x${'1'.repeat(1e7)}`]),
  params('an address of ten million digits', 'eth_getBalance', () => [`0x${'1'.repeat(1e7)}`, 'latest']),
  params('a hash of ten megabytes', 'web3_sha3', () => [`0x${'ab'.repeat(1e7)}`]),
  params('a transaction of ten megabytes', 'eth_sendRawTransaction', () => [`0x02f9${'ab'.repeat(1e7)}`]),
  params('deep RLP', 'eth_sendRawTransaction', () => [`0x${'c1'.repeat(1e6)}`]),
  params('many RLP items', 'eth_sendRawTransaction', () => [`0x02fa1e8480${'80'.repeat(2e6)}`]),
  params('a code of a megabyte', 'anvil_setCode', () => [address(77), `0x${'5b'.repeat(1 << 20)}`]),
  params('a thousand blocks', 'anvil_mine', () => ['0x3e8']),
  params('the whole state', 'anvil_dumpState', () => []),
  params('deep typed data', 'eth_signTypedData_v4', () => [SIGNER, typedData()]),
  params('the storage of a contract', 'debug_storageRangeAt', () => ['latest', 0, TARGET, '0x0', 100_000]),
  params('a block of a transaction with many logs', 'debug_traceBlockByNumber', () => ['0x3', {}]),
  params('a block of a transaction with many logs', 'trace_block', () => ['0x3']),
  params('deeply nested arrays', 'eth_call', () => [nested(5000)]),
  params('a million keys', 'eth_call', () => [
    { to: TARGET, ...Object.fromEntries(many(200_000, (i) => [`key${i}`, i])) },
  ]),
  {
    name: 'a body of brackets',
    run: (node, signal) => callPlainly(node, '['.repeat(2e7), signal),
  },
  {
    name: 'a body of one string with escapes',
    run: (node, signal) => callPlainly(node, `"${'\\u0041'.repeat(3e6)}"`, signal),
  },
  {
    name: 'a batch of a thousand calls',
    run: (node, signal) =>
      callPlainly(
        node,
        JSON.stringify(
          many(1000, (id) => ({ jsonrpc: '2.0', id, method: 'eth_call', params: callOf('0x5f5f2050') })),
        ),
        signal,
      ),
  },
  {
    name: 'a batch of a thousand blocks',
    run: (node, signal) =>
      callPlainly(
        node,
        JSON.stringify(
          many(1000, (id) => ({ jsonrpc: '2.0', id, method: 'eth_getBlockByNumber', params: ['0x3', true] })),
        ),
        signal,
      ),
  },
  {
    name: 'a batch of a million items',
    run: (node, signal) => callPlainly(node, `[${'1,'.repeat(1e6)}1]`, signal),
  },
  {
    name: 'an id of ten million digits',
    run: (node, signal) =>
      callPlainly(node, `{"jsonrpc":"2.0","method":"eth_chainId","id":${'1'.repeat(1e7)}}`, signal),
  },
]

/** The first account of the default mnemonic. */
const SIGNER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

function nested(depth: number): unknown {
  let value: unknown = []
  for (let i = 0; i < depth; i++) value = [value]
  return value
}

/** Typed data of many structs in arrays. */
function typedData(): object {
  return {
    domain: {},
    primaryType: 'Group',
    types: {
      EIP712Domain: [],
      Group: [{ name: 'members', type: 'Person[]' }],
      Person: [
        { name: 'name', type: 'string' },
        { name: 'wallet', type: 'address' },
      ],
    },
    message: { members: many(5000, (i) => ({ name: `person ${i}`, wallet: address(i) })) },
  }
}

/** A CID whose digest is the content itself, in a base. */
function identityCid(length: number): string {
  const bytes: number[] = [1, 0x55, 0]
  for (let rest = length; ; rest = Math.floor(rest / 128)) {
    bytes.push(rest >= 128 ? (rest % 128) | 128 : rest)
    if (rest < 128) break
  }
  return `f${Buffer.concat([Buffer.from(bytes), Buffer.alloc(length, 0xab)]).toString('hex')}`
}

function files(name: string, path: () => string, body?: () => Uint8Array): Bomb {
  return {
    name: `${name}`,
    run: (node, signal) => postFiles(node, path(), body?.(), signal),
  }
}

const deepCbor = (depth: number) => Buffer.concat([Buffer.alloc(depth, 0x81), Buffer.from([0x80])])

const fileBombs: Bomb[] = [
  files('cat: an identity CID of 100 kB', () => `cat?arg=${identityCid(30_000)}`),
  files('block/get: base36 of 100 kB', () => `block/get?arg=k${'z'.repeat(50_000)}`),
  files('block/get: base58 of 100 kB', () => `block/get?arg=z${'x'.repeat(50_000)}`),
  files('block/get: base58 without a prefix', () => `block/get?arg=Qm${'x'.repeat(50_000)}`),
  files('cid/format: base36 of 50 kB', () => `cid/format?arg=k${'z'.repeat(50_000)}&b=base58btc`),
  files('cid/format: base10', () => `cid/format?arg=9${'9'.repeat(50_000)}`),
  files('dag/resolve: a long path', () => `dag/resolve?arg=bafyreigh2akiscaildc/${'a/'.repeat(25_000)}`),
  files(
    'dag/put: deep dag-cbor',
    () => 'dag/put?input-codec=dag-cbor',
    () => deepCbor(1_000_000),
  ),
  files(
    'dag/put: deep dag-json',
    () => 'dag/put?input-codec=dag-json',
    () => Buffer.from(`${'['.repeat(500_000)}${']'.repeat(500_000)}`),
  ),
  files(
    'dag/put: wide dag-json',
    () => 'dag/put?input-codec=dag-json',
    () => Buffer.from(JSON.stringify(Object.fromEntries(many(80_000, (i) => [`key${i}`, i])))),
  ),
  files(
    'dag/put: a long dag-json string',
    () => 'dag/put?input-codec=dag-json',
    () => Buffer.from(JSON.stringify('\u0001'.repeat(300_000))),
  ),
  files(
    'dag/put: a long number',
    () => 'dag/put?input-codec=dag-json',
    () => Buffer.from('9'.repeat(1e6)),
  ),
  files(
    'dag/put: dag-json to dag-jose',
    () => 'dag/put?input-codec=dag-json&store-codec=dag-jose',
    () => Buffer.from(JSON.stringify({ payload: 'a'.repeat(500_000), signatures: [] })),
  ),
  files(
    'block/put: two megabytes',
    () => 'block/put',
    () => Buffer.alloc(2e6, 1),
  ),
  files(
    'block/put: sha3-512',
    () => 'block/put?mhtype=sha3-512',
    () => Buffer.alloc(1e6, 1),
  ),
  files(
    'block/put: blake2b',
    () => 'block/put?mhtype=blake2b-256',
    () => Buffer.alloc(1e6, 1),
  ),
  files(
    'block/put: blake3',
    () => 'block/put?mhtype=blake3',
    () => Buffer.alloc(1e6, 1),
  ),
  files(
    'block/put: dbl-sha2-256',
    () => 'block/put?mhtype=dbl-sha2-256',
    () => Buffer.alloc(1e6, 1),
  ),
  files(
    'add: chunks of a byte',
    () => 'add?chunker=size-1',
    () => Buffer.alloc(200_000, 1),
  ),
  files(
    'add: rabin',
    () => 'add?chunker=rabin',
    () => Buffer.alloc(2e7, 1),
  ),
  files(
    'add: buzhash',
    () => 'add?chunker=buzhash',
    () => Buffer.alloc(2e7, 1),
  ),
  files(
    'add: a hundred megabytes',
    () => 'add?cid-version=1',
    () => Buffer.alloc(1e8, 1),
  ),
  files(
    'add: trickle',
    () => 'add?trickle=true&chunker=size-64',
    () => Buffer.alloc(1e6, 1),
  ),
  files(
    'dag/import: no CAR',
    () => 'dag/import',
    () => Buffer.alloc(1e7, 0x7f),
  ),
  files(
    'dag/import: a header of ten megabytes',
    () => 'dag/import',
    () => Buffer.concat([Buffer.from([0x80, 0xad, 0xe2, 0x04]), Buffer.alloc(1e7, 0x81)]),
  ),
  files('files/mkdir: a deep path', () => `files/mkdir?parents=true&arg=/${'d/'.repeat(3000)}`),
  files(
    'files/write: far behind the end',
    () => 'files/write?create=true&arg=/far&offset=4000000000000',
    () => Buffer.from('x'),
  ),
  files(
    'files/write: a gigabyte behind the end',
    () => 'files/write?create=true&arg=/gap&offset=1000000000',
    () => Buffer.from('x'),
  ),
  files('refs: everything', () => 'refs/local'),
  files('pin/ls: everything', () => 'pin/ls?stream=false'),
  files('repo/gc', () => 'repo/gc'),
  files('repo/verify', () => 'repo/verify'),
  files('repo/stat', () => 'repo/stat'),
  files('unknown: long arguments', () => `cat?${many(2000, (i) => `arg=${i}`).join('&')}`),
  files('regex-like: a pin name of slashes', () => `pin/ls?name=${'%2F'.repeat(15_000)}&names=true`),
  {
    name: 'add: ten thousand files of a directory',
    run: (node, signal) =>
      postFiles(
        node,
        'add?wrap-with-directory=true&cid-version=1',
        uploadBody(many(10_000, (i) => [`file${i}`, Buffer.from(`${i}`)])),
        signal,
      ),
  },
  {
    name: 'add: a thousand nested directories',
    run: (node, signal) =>
      postFiles(
        node,
        'add?cid-version=1',
        uploadBody([[`${'d%2F'.repeat(1000)}file`, Buffer.from('x')]]),
        signal,
      ),
  },
  {
    name: 'add: parts without content',
    run: (node, signal) =>
      postFiles(node, 'add', uploadBody(many(20_000, (i) => [`empty${i}`, Buffer.alloc(0)])), signal),
  },
]

/** All bombs. */
export const bombs: readonly Bomb[] = [...computing, ...tracing, ...requests, ...fileBombs]
