import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { isFull } from '../settings.js'
import { SIGNER, TARGET, firstRefusal, loop, many, override, rpc, sendCall, word, type Bomb } from './bomb.js'
import type { Hex } from '../requests.js'

/** PUSH3 of a megabyte. */
const MEGABYTE = '62100000'
const OUT_OF_GAS = 'out of gas'
/** geth's gas cap for calls. */
const GAS_CAP = '0x2faf080'
/** The cap in full runs, and a tenth of it otherwise. */
const GAS = isFull ? GAS_CAP : '0x4c4b40'

/** Code that copies the call's input to memory at 0: CALLDATASIZE PUSH0 PUSH0 CALLDATACOPY. */
const COPY_INPUT = '365f5f37'

/** Returns code that calls a precompile with the call's input in a loop. */
function precompileLoop(address: number): Hex {
  return loop(`5f5f365f61${address.toString(16).padStart(4, '0')}5afa50`, COPY_INPUT)
}

/** Pads a field element of BLS12-381 to 64 bytes (EIP-2537). */
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
/** Compressed point at infinity: the commitment to a blob of zeros and its proof (EIP-4844). */
const infinity = `c0${'0'.repeat(94)}`

/** Returns a hash, signature and public key of secp256r1 (EIP-7951). */
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

/** Signature of EIP-155's example transaction, whose sender is known. */
const recoverInput =
  'daf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23dbe92e4fa82' +
  word(28) +
  '28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276' +
  '67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83'

function pointEvaluationInput(): string {
  const versionedHash = createHash('sha256').update(Buffer.from(infinity, 'hex')).digest()
  return `01${versionedHash.toString('hex').slice(2)}${word(2)}${word(0)}${infinity}${infinity}`
}

/** Returns code that calls a precompile with a megabyte of zeros in a loop. */
function precompileLoopOfMemory(address: number): Hex {
  return loop(`5f5f${MEGABYTE}5f60${address.toString(16).padStart(2, '0')}5afa50`)
}

/** Precompile addresses and inputs, by name. */
const precompiles: Record<string, readonly [address: number, input: string]> = {
  ecrecover: [1, recoverInput],
  'sha256 of nothing': [2, ''],
  'modexp of 256 bytes': [5, word(256) + word(256) + word(256) + 'e'.repeat(512) + 'f'.repeat(512 * 2)],
  'modexp of 1024 bytes': [5, word(1024) + word(1024) + word(1024) + 'e'.repeat(2048) + 'f'.repeat(2048 * 2)],
  'modexp with an even modulus': [
    5,
    word(512) + word(64) + word(512) + 'f'.repeat(1024 + 128) + 'f'.repeat(1023) + '0',
  ],
  // As long as the gas allows.
  'modexp with a long exponent': [
    5,
    word(512) + word(380) + word(512) + 'e'.repeat(2 * 512) + 'f'.repeat(2 * (380 + 512)),
  ],
  'modexp with a long exponent and an even modulus': [
    5,
    word(1024) + word(70) + word(1024) + 'f'.repeat(2 * (1024 + 70 + 1024) - 1) + '0',
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

/** Code that uses up the gas of a call, by name. */
export const code: Record<string, Hex> = {
  'sha256 of a megabyte': precompileLoopOfMemory(2),
  'ripemd160 of a megabyte': precompileLoopOfMemory(3),
  'identity of a megabyte': precompileLoopOfMemory(4),
  'an empty loop': loop(''),
  'keccak of a megabyte': loop(`${MEGABYTE}5f2050`),
  'keccak of 32 bytes': loop('60205f2050'),
  'MCOPY of a megabyte': loop(`${MEGABYTE}60205f5e`),
  'CALLDATACOPY of a megabyte': loop(`${MEGABYTE}5f5f37`),
  'CODECOPY of a megabyte': loop(`${MEGABYTE}5f5f39`),
  'EXTCODECOPY of a megabyte': loop(`${MEGABYTE}5f5f303c`),
  'RETURNDATACOPY of a megabyte': loop(`${MEGABYTE}5f5f3e`, `5f5f${MEGABYTE}5f60045afa50`),
  'LOG4 of a megabyte': loop(`5f5f5f5f${MEGABYTE}5fa4`),
  'LOG0 of nothing': loop('5f5fa0'),
  'EXP of large numbers': loop('5f195f190a50'),
  'MULMOD of large numbers': loop('60035f195f190950'),
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
  'calls of itself': loop('5f5f5f5f5f305af150'),
  'calls of itself with memory': loop('5f5f5f5f5f305af150', `5f${MEGABYTE}52`),
  'static calls of empty accounts': loop('5f5f5f5f5a5afa50'),
  'cold BALANCE': loop('5a3150'),
  'cold SLOAD': loop('5a5450'),
  'cold EXTCODESIZE': loop('5a3b50'),
  'SSTORE of new slots': loop('5a5a55'),
  'TSTORE of new slots': loop('5a5a5d'),
  BLOCKHASH: loop('5f4050'),
}

/** Code that ends before it has used up the gas of a call, with its refusal, by name. */
const endingCode: Record<string, readonly [code: Hex, refusal?: string]> = {
  'keccak of four megabytes once': ['0x624000005f20'],
  'a return of four megabytes': ['0x624000005ff3'],
  'a revert of four megabytes': ['0x624000005ffd', 'execution reverted'],
}

/** Arguments of a call to code at {@link TARGET}, with all gas. */
export function callOf(codeOfTarget: Hex, data: Hex = '0x', gas: Hex = GAS): readonly unknown[] {
  return [{ to: TARGET, data, gas }, 'latest', override(codeOfTarget)]
}

const inTheVirtualMachine: Bomb[] = [
  ...Object.entries(precompiles).map(([name, [address, input]]) => ({
    ...rpc(name, 'eth_call', () => callOf(precompileLoop(address), `0x${input}`)),
    refusal: OUT_OF_GAS,
  })),
  ...Object.entries(code).map(([name, codeOfTarget]) => ({
    ...rpc(name, 'eth_call', () => callOf(codeOfTarget)),
    refusal: OUT_OF_GAS,
  })),
  ...Object.entries(endingCode).map(([name, [codeOfTarget, refusal]]) => ({
    ...rpc(name, 'eth_call', () => callOf(codeOfTarget, '0x', GAS_CAP)),
    refusal,
  })),
]

/** Default gas of a call in full runs, and a thirtieth of it otherwise. */
const TRACED_GAS = isFull ? '0x11e1a300' : '0x989680'

const counting = loop('60010180505f', '5f')

const tracers: Record<string, object> = {
  'struct logs': {},
  'struct logs with memory': { enableMemory: true, enableReturnData: true },
  callTracer: { tracer: 'callTracer', tracerConfig: { withLog: true } },
  prestateTracer: { tracer: 'prestateTracer' },
  'prestateTracer in diff mode': { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
  '4byteTracer': { tracer: '4byteTracer' },
  erc7562Tracer: { tracer: 'erc7562Tracer' },
  keccak256PreimageTracer: { tracer: 'keccak256PreimageTracer' },
  muxTracer: { tracer: 'muxTracer', tracerConfig: { callTracer: {}, prestateTracer: {} } },
}
const traced: Record<string, Hex> = {
  'a loop': counting,
  'cold SLOAD': code['cold SLOAD']!,
  'cold BALANCE': code['cold BALANCE']!,
  'LOG0 of nothing': code['LOG0 of nothing']!,
  'different hashes': loop('600101805f5260205f2050', '5f'),
  'different hashes of a megabyte': loop(`600101805f52${MEGABYTE}5f2050`, '5f'),
  'calls of empty accounts': code['static calls of empty accounts']!,
  ...Object.fromEntries(
    [
      'RETURNDATACOPY of a megabyte',
      'LOG4 of a megabyte',
      'CREATE of the largest code',
      'CREATE2 of the largest initcode',
      'calls of itself',
      'calls of itself with memory',
      'SSTORE of new slots',
    ].map((name) => [name, code[name]!]),
  ),
}

/** Tracers for calls of slow precompiles. */
const tracersOfPrecompiles = ['struct logs', 'callTracer', 'prestateTracer in diff mode']
const longPrecompiles = [
  ...['ecrecover', 'modexp of 1024 bytes', 'bnPairing of 100 pairs', 'blake2f of a million rounds'],
  ...['point evaluation', 'bls G1 MSM of 128', 'bls pairing of 30 pairs', 'p256verify'],
]

/** JavaScript tracers that never end, or that accumulate data. */
const javaScriptTracers: Record<string, string> = {
  'a tracer that loops': '{step: function() { for (;;) {} }, fault: function() {}, result: function() {}}',
  'a tracer that loops in its result':
    '{step: function() {}, fault: function() {}, result: function() { for (;;) {} }}',
  'a tracer that loops in its setup':
    '{setup: function() { for (;;) {} }, step: function() {}, fault: function() {}, result: function() {}}',
  'a tracer whose source loops': '(function() { for (;;) {} })()',
  'a tracer that keeps everything': `{kept: [], fault: function() {}, result: function() { return this.kept },
    step: function(log) { this.kept.push(log.op.toString(), log.stack.length() && log.stack.peek(0).toString(16)) }}`,
  'a tracer with a regular expression':
    "{step: function() { /^(a+)+$/.test('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!') }, fault: function() {}, result: function() {}}",
  'a tracer that returns thirty megabytes':
    "{step: function() {}, fault: function() {}, result: function() { return 'x'.repeat(3e7) }}",
  'a tracer that searches a string for hours':
    "{step: function() {}, fault: function() {}, result: function() { return 'a'.repeat(3e6).indexOf('a'.repeat(15e5) + 'b') }}",
  'a tracer that returns millions of escapes':
    "{step: function() {}, fault: function() {}, result: function() { return '\\u0001'.repeat(5e5) }}",
  'a tracer that throws seven megabytes':
    "{step: function() {}, fault: function() {}, result: function() { throw new Error('x'.repeat(7e6)) }}",
  'a tracer that throws deep lists':
    '{step: function() {}, fault: function() {}, result: function() { for (var i = 0, a = []; i < 3000; i++) a = [a]; throw a }}',
  'a tracer that reads other balances forever': `{asked: 0, step: function(log, db) { for (;;) {
      var account = new Uint8Array(20); account[0] = this.asked; account[1] = this.asked >> 8; account[2] = this.asked++ >> 16
      db.getBalance(account)
    } }, fault: function() {}, result: function() {}}`,
  'a tracer that computes the addresses of large contracts':
    "{step: function() {}, fault: function() {}, result: function() { for (var i = 0; i < 300; i++) toContract2('0x00', '0x00', new Uint8Array(1e6)) }}",
  'a tracer that concatenates forever':
    "{text: 'x', step: function() { this.text += this.text }, fault: function() {}, result: function() {}}",
}

const tracing: Bomb[] = [
  ...Object.entries(tracers).flatMap(([tracerName, options]) =>
    Object.entries(traced).map(([codeName, codeOfTarget]) =>
      rpc(`${tracerName} of ${codeName}`, 'debug_traceCall', () => [
        { to: TARGET, gas: TRACED_GAS },
        'latest',
        { ...options, stateOverrides: override(codeOfTarget) },
      ]),
    ),
  ),
  ...tracersOfPrecompiles.flatMap((tracerName) =>
    longPrecompiles.map((name) => {
      const [address, input] = precompiles[name]!
      return rpc(`${tracerName} of ${name}`, 'debug_traceCall', () => [
        { to: TARGET, gas: TRACED_GAS, data: `0x${input}` },
        'latest',
        { ...tracers[tracerName], stateOverrides: override(precompileLoop(address)) },
      ])
    }),
  ),
  ...Object.entries(javaScriptTracers).map(([name, tracer]) =>
    rpc(name, 'debug_traceCall', () => [
      { to: TARGET, gas: '0x186a0' },
      'latest',
      { tracer, stateOverrides: override(counting) },
    ]),
  ),
  {
    name: 'debug_traceCall: a tracer whose source loops, fifty at once',
    run: (node, signal) => {
      const options = {
        tracer: javaScriptTracers['a tracer whose source loops'],
        stateOverrides: override(counting),
      }
      const params = [{ to: TARGET, gas: '0x186a0' }, 'latest', options]
      return firstRefusal(many(50, () => sendCall(node, 'debug_traceCall', params, signal)))
    },
  },
  ...[['trace'], ['vmTrace'], ['stateDiff'], ['trace', 'vmTrace', 'stateDiff']].flatMap((types) => [
    rpc(`${types.join(' and ')} of a block with many logs`, 'trace_replayBlockTransactions', () => [
      '0x3',
      types,
    ]),
    // Parity calls accept no overrides, so the code runs in a creation.
    rpc(`${types.join(' and ')} of a loop`, 'trace_call', () => [
      { from: SIGNER, data: counting, gas: '0x989680' },
      types,
      'latest',
    ]),
  ]),
]

const estimates: Bomb[] = Object.entries(code).flatMap(([name, codeOfTarget]) => [
  { ...rpc(name, 'eth_estimateGas', () => callOf(codeOfTarget)), refusal: 'gas required exceeds allowance' },
  rpc(name, 'eth_createAccessList', () => callOf(codeOfTarget)),
])

/** Bombs that execute code. */
export const computing: readonly Bomb[] = [...inTheVirtualMachine, ...estimates, ...tracing]
