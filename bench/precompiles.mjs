import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { MeasuredProcess, freePort } from './lib/processes.mjs'
import { RpcClient } from './lib/rpcClient.mjs'
import { summarise } from './lib/statistics.mjs'

const usage = `node bench/precompiles.mjs [options]

Measures the processor time of precompiles: calls of a contract that calls one until its gas is used up, in seconds per
million gas, here and in geth.

  --geth path   the program (default: $STANDIN_GETH, or geth); without it only this node is measured
  --gas n       gas of a call
  --rounds n    repetitions of each call, alternating between the nodes
  --match text  only precompiles whose name contains the text`

const { values: flags } = parseArgs({
  options: {
    geth: { type: 'string', default: process.env.STANDIN_GETH ?? 'geth' },
    gas: { type: 'string', default: '40000000' },
    rounds: { type: 'string', default: '5' },
    match: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
})
if (flags.help) {
  console.log(usage)
  process.exit(0)
}

const word = (value) => value.toString(16).padStart(64, '0')
const bytes = (count, pair) => pair.repeat(count)
const element = (digits) => digits.padStart(128, '0')

/** Generators of the groups of BLS12-381 (EIP-2537) and BN254 (EIP-196, EIP-197). */
const blsG1 =
  element(
    '17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
  ) +
  element('8b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1')
const blsG2 = [
  '24aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8',
  '13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e',
  'ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801',
  '606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be',
]
  .map(element)
  .join('')
const bnG1 = word(1n) + word(2n)
const bnG2 =
  '198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2' +
  '1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed' +
  '090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b' +
  '12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa'
const fieldElement = blsG1.slice(128)
const scalar = word(2n ** 255n - 19n)
/** A signature of secp256k1, and one of secp256r1 (EIP-7951). */
const signed =
  '18c547e4f7b0f325ad1e56f57e26c745b09a3e503d86e00e5255ff7f715d3d1c' +
  word(28n) +
  '73b1693892219d736caba55bdb67216e485557ea6b6af75f37096c9aa6a5a75f' +
  'eeb940b1d03b21e36b0e47e79769f095fe2ab855bd91e3a38756b7d75a9c4549'
const signedP256 =
  'bb5a52f42f9c9261ed4361f59422a1e30036e7c32b270c8807a419feca605023' +
  '2ba3a8be6b94d5ec80a6d9d1190a436effe50d85a1eee859b8cc6af9bd5c2e18' +
  '4cd60b855d442f5b3c7b11eb6c4e0ae7525fe710fab9aa7c77a67f79e6fadd76' +
  '2927b10512bae3eddcfe467828128bad2903269919f7086069c8c4df6c732838' +
  'c7787964eaac00e5921fb1498a60f4606766b3d9685001558d1a974e7341513e'

/** Name, address and input, in hexadecimal digits. */
const precompiles = [
  ['ecrecover', 0x01, signed],
  ['sha256 of 4 kB', 0x02, bytes(4096, 'ab')],
  ['ripemd160 of 4 kB', 0x03, bytes(4096, 'ab')],
  ['identity of 4 kB', 0x04, bytes(4096, 'ab')],
  [
    'modexp of 256 bytes',
    0x05,
    word(256n) + word(32n) + word(256n) + bytes(256, 'f7') + bytes(32, 'ff') + bytes(256, 'fb'),
  ],
  ['BN254 addition', 0x06, bnG1 + bnG1],
  ['BN254 multiplication', 0x07, bnG1 + word(2n ** 256n - 1n)],
  ['BN254 pairing', 0x08, bnG1 + bnG2],
  ['BN254 pairing of 2', 0x08, (bnG1 + bnG2).repeat(2)],
  ['BLAKE2b of 4,096 rounds', 0x09, `00001000${bytes(64, 'ab')}${bytes(128, 'cd')}${bytes(16, '00')}01`],
  ['BLS12-381 G1 addition', 0x0b, blsG1 + blsG1],
  ['BLS12-381 G1 MSM', 0x0c, blsG1 + scalar],
  ['BLS12-381 G1 MSM of 16', 0x0c, (blsG1 + scalar).repeat(16)],
  ['BLS12-381 G2 addition', 0x0d, blsG2 + blsG2],
  ['BLS12-381 G2 MSM', 0x0e, blsG2 + scalar],
  ['BLS12-381 pairing', 0x0f, blsG1 + blsG2],
  ['BLS12-381 pairing of 4', 0x0f, (blsG1 + blsG2).repeat(4)],
  ['BLS12-381 map to G1', 0x10, fieldElement],
  ['BLS12-381 map to G2', 0x11, fieldElement + fieldElement],
  ['secp256r1 verification', 0x100, signedP256],
]

/** Calls the precompile with the call data until the gas is used up. */
function caller(address) {
  // CALLDATASIZE PUSH1 0 PUSH1 0 CALLDATACOPY; JUMPDEST; PUSH1 64 CALLDATASIZE CALLDATASIZE PUSH1 0
  const start = '3660006000375b604036366000'
  // PUSH2 address GAS STATICCALL POP PUSH1 6 JUMP
  return `0x${start}61${address.toString(16).padStart(4, '0')}5afa50600656`
}

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const directory = await mkdtemp(join(tmpdir(), 'standin-bench-precompiles-'))

/** Starts a node and waits for its first answer. @returns undefined if the program is missing */
async function start(name, program, parameters, url) {
  const node = new MeasuredProcess(program, parameters)
  const client = new RpcClient(url)
  for (let waited = 0; waited < 1500; waited++) {
    const answer = await client.call('eth_chainId').catch(() => undefined)
    if (answer !== undefined) return { name, node, client }
    if (node.ended) return undefined
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`${name} does not answer: ${node.output}`)
}

const ports = [await freePort(), await freePort(), await freePort()].map(String)
const own = await start(
  'standin',
  process.execPath,
  [join(root, 'bin/standin.js'), '--port', ports[0], '--ipfs-port', '0', '--quiet'],
  `http://127.0.0.1:${ports[0]}/v3/bench`,
)
if (own === undefined) throw new Error('the node has ended')
const geth = await start(
  'geth',
  flags.geth,
  [
    ...['--dev', '--datadir', directory, '--ipcdisable', '--port', '0', '--authrpc.port', ports[2]],
    ...['--http', '--http.port', ports[1], '--rpc.gascap', flags.gas, '--rpc.evmtimeout', '0'],
  ],
  `http://127.0.0.1:${ports[1]}`,
)
if (geth === undefined) console.log(`${flags.geth} does not run: measuring this node alone`)

const account = `0x${'00'.repeat(19)}aa`
const gas = Number(flags.gas)

/** @throws if the precompile refuses the input, which would also use up the gas */
async function check({ name, client }, [precompile, address, input]) {
  const call = { to: `0x${address.toString(16).padStart(40, '0')}`, data: `0x${input}` }
  if ((await client.call('eth_call', call, 'latest')) === '0x') throw new Error(`${name}: no ${precompile}`)
}

/** Returns the processor time of a call that runs out of gas, in seconds per million gas. */
async function measure({ node, client }, [, address, input]) {
  const call = { to: account, data: `0x${input}`, gas: `0x${gas.toString(16)}` }
  const before = node.processorTime()
  const failure = await client
    .call('eth_call', call, 'latest', { [account]: { code: caller(address) } })
    .then(
      () => 'it has ended',
      ({ message }) => message,
    )
  if (!/gas/.test(failure)) throw new Error(`the call does not run out of gas: ${failure}`)
  return ((node.processorTime() - before) * 1e6) / gas
}

console.log('| Precompile | standin, s/Mgas | geth, s/Mgas | ratio |\n| --- | --- | --- | --- |')
for (const precompile of precompiles.filter(([name]) => name.includes(flags.match))) {
  const nodes = geth === undefined ? [own] : [own, geth]
  const seconds = nodes.map(() => [])
  await Promise.all(nodes.map((node) => check(node, precompile)))
  // The first round warms up.
  for (let round = 0; round <= Number(flags.rounds); round++) {
    for (const [index, node] of nodes.entries()) {
      const measured = await measure(node, precompile)
      if (round > 0) seconds[index].push(measured)
    }
  }
  const [ours, theirs] = seconds.map((values) => summarise(values).median)
  const ratio = theirs === undefined ? '' : (ours / theirs).toFixed(1)
  console.log(`| ${precompile[0]} | ${ours.toFixed(4)} | ${theirs?.toFixed(4) ?? ''} | ${ratio} |`)
}
await Promise.all([own.node.end(), geth?.node.end()])
await rm(directory, { recursive: true, force: true })
process.exit(0)
