import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { numberToHex, type Hex } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { packData } from '../../src/node/packData.js'
import { verifyData } from '../../src/node/verifyData.js'
import { startDevnet, stopAll, stopDevnet, type Devnet } from '../devnet/support.js'
import { buildCommand, runCommand, startCommand, stopCommand } from '../support/command.js'
import { addFile, callFileNetwork, callRpc } from '../support/rpc.js'
import { until } from '../support/until.js'
import { fillChain } from './support.js'

const blocks = 12
const content = Buffer.alloc(600_000, 'content')
let folder: string
let dataDir: string
let file: string
let archiveCache: string
let contract: Hex
let cid: string
let answers: unknown

/** Collects a node's answers: blocks, receipts, logs, states, proofs, the file and its pin. */
async function answersOf({ node, call, from }: Devnet): Promise<unknown> {
  const history: unknown[] = []
  for (let number = 0; number <= blocks; number++) {
    const block = numberToHex(number)
    const { transactions, ...rest } = await call<{ transactions: { hash: Hex }[] }>(
      'eth_getBlockByNumber',
      block,
      true,
    )
    const receipts = await Promise.all(
      transactions.map(({ hash }) => call('eth_getTransactionReceipt', hash)),
    )
    const state = [
      await call('eth_getBalance', from, block),
      await call('eth_getCode', contract, block),
      await call('eth_getProof', contract, ['0x0', '0x3', '0x6'], block),
    ]
    history.push({ rest, transactions, receipts, state })
  }
  const read = async (operation: string): Promise<string> =>
    (await callFileNetwork(node.ipfsUrl, operation, cid)).text()
  return {
    history,
    logs: await call('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }),
    file: createHash('sha256')
      .update(await read('cat'))
      .digest('hex'),
    pins: await read('pin/ls'),
    mfs: await read('files/stat').then((text) => text.length > 0),
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'standin-pack-'))
  dataDir = join(folder, 'data')
  file = join(folder, 'archive')
  archiveCache = join(folder, 'cache')
  const devnet = await startDevnet({ dataDir, ipfsPort: 0 })
  ;({ contract } = await fillChain(devnet, blocks - 1))
  expect(await devnet.height()).toBe(blocks - 0)
  cid = await addFile(devnet.node.ipfsUrl, content)
  await devnet.call('evm_increaseTime', 86_400)
  answers = await answersOf(devnet)
  await stopDevnet(devnet)
  await writeFile(join(folder, 'keys.json'), JSON.stringify({ keys: [{ key: 'project', secret: 'sesame' }] }))
  await packData({ dataDir, file, keys: join(folder, 'keys.json') })
})
afterEach(stopAll)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Returns the checksums of the files of a directory. */
async function checksums(directory: string): Promise<Record<string, string>> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
  const found: Record<string, string> = {}
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name)
    found[path] = createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
  }
  return found
}

const noProblems = async (directory: string): Promise<void> => {
  const problems: string[] = []
  await verifyData(directory, (line) => problems.push(line))
  expect(problems).toEqual([])
}

const start = (options: object = {}): Promise<Devnet> =>
  startDevnet({ from: file, archiveCache, ipfsPort: 0, noIpfsAuth: true, ...options })

describe('a node started from an archive', () => {
  test('answers like the packed node, with its keys and clock', async () => {
    const devnet = await start()
    expect(await answersOf(devnet)).toEqual(answers)
    const withKey = (key: string): Promise<Response> =>
      fetch(devnet.node.url.replace(/[^/]+$/, key), {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Basic ${btoa(':sesame')}` },
        body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
      })
    expect([(await withKey('project')).status, (await withKey('another')).status]).toEqual([200, 401])
    await devnet.call('evm_mine')
    const { timestamp } = await devnet.block()
    expect(Number(timestamp)).toBeGreaterThan(Date.now() / 1000 + 86_000)
  })

  test('does not see what another node writes, and neither changes the archive', async () => {
    const base = join(archiveCache, createChecksum(await readFile(file)))
    const [first, second] = await Promise.all([start(), start()])
    const before = await checksums(base)
    expect(Object.keys(before).length).toBeGreaterThan(10)
    const [mine, other] = ['first', 'second'].map((text) => Buffer.alloc(300_000, text)) as [Buffer, Buffer]
    await first.send({ to: first.to, value: '0x1' })
    await first.call('evm_mine')
    const cids = [
      await addFile(first.node.ipfsUrl, Uint8Array.from(mine)),
      await addFile(second.node.ipfsUrl, Uint8Array.from(other)),
    ] as [string, string]
    await second.call('hardhat_setBalance', second.to, '0x7')
    await second.call('evm_mine')
    expect([await first.height(), await second.height()]).toEqual([blocks + 2, blocks + 1])
    expect(await second.call('eth_getBalance', second.to, 'latest')).toBe('0x7')
    expect(await first.call('eth_getBalance', first.to, 'latest')).not.toBe('0x7')
    expect(await (await callFileNetwork(first.node.ipfsUrl, 'cat', cids[0])).text()).toBe(String(mine))
    expect((await callFileNetwork(first.node.ipfsUrl, 'cat', `${cids[1]}&offline=true`)).ok).toBe(false)
    // Flushes their writes to LevelDB before the comparison.
    await stopAll()
    expect(await checksums(base)).toEqual(before)
    expect(await answersOf(await start())).toEqual(answers)
  })

  test('continues its own data directory on every start', async () => {
    const own = join(folder, 'own')
    const first = await start({ dataDir: own })
    await first.send({ to: first.to, value: '0x1' })
    await addFile(first.node.ipfsUrl, Buffer.alloc(300_000, 'more'))
    await stopDevnet(first)
    for (let time = 0; time < 2; time++) {
      const again = await start({ dataDir: own })
      expect(await again.height()).toBe(blocks + 1 + time)
      await again.call('evm_mine')
      await stopDevnet(again)
    }
    const without = await startDevnet({ dataDir: own })
    expect(await without.height()).toBe(blocks + 3)
    await stopDevnet(without)
    await noProblems(own)
  })

  test('refuses a directory with other content', async () => {
    const own = join(folder, 'other')
    await stopDevnet(await startDevnet({ dataDir: own }))
    await expect(start({ dataDir: own })).rejects.toThrow(/other is not empty and was not started from/)
    await noProblems(own)
  })

  test('has a copy that can be packed again', async () => {
    const own = join(folder, 'again')
    const devnet = await start({ dataDir: own })
    await devnet.send({ to: devnet.to, value: '0x1' })
    await stopDevnet(devnet)
    const second = join(folder, 'second')
    await packData({ dataDir: own, file: second, keys: undefined })
    expect(await (await start({ from: second })).height()).toBe(blocks + 1)
  })
})

/** Returns the checksum that names an unpacked archive: that of its first entry, after the 512-byte tar header. */
function createChecksum(archive: Buffer): string {
  const tar = gunzipSync(archive)
  const size = parseInt(tar.toString('latin1', 124, 136), 8)
  return createHash('sha256')
    .update(tar.subarray(512, 512 + size))
    .digest('hex')
}

describe('a node started from a data directory', () => {
  test('answers like the original, and both continue independently', async () => {
    const copy = join(folder, 'copy')
    await cp(dataDir, copy, { recursive: true })
    const devnet = await start({ from: copy })
    expect(await answersOf(devnet)).toEqual(answers)
    const owner = await startDevnet({ dataDir: copy, ipfsPort: 0 })
    await owner.send({ to: owner.to, value: '0x1' })
    await devnet.call('evm_mine')
    await devnet.call('evm_mine')
    expect([await owner.height(), await devnet.height()]).toEqual([blocks + 1, blocks + 2])
    await stopAll()
    await noProblems(copy)
    const again = await startDevnet({ dataDir: copy })
    expect(await again.height()).toBe(blocks + 1)
  })

  test('refuses one that a node has open', async () => {
    const copy = join(folder, 'open')
    await cp(dataDir, copy, { recursive: true })
    const owner = await startDevnet({ dataDir: copy })
    await expect(start({ from: copy })).rejects.toThrow(/a node has .*open open/)
    await expect(packData({ dataDir: copy, file: join(folder, 'x'), keys: undefined })).rejects.toThrow(
      /already open/,
    )
    expect(readdirSync(folder)).not.toContain('x')
    await stopDevnet(owner)
  })

  test('copies that of a killed node', async () => {
    await buildCommand()
    const killed = join(folder, 'killed')
    const command = await startCommand(['--data-dir', killed])
    await callRpc(command.ready.url, 'hardhat_mine', ['0x5'])
    await stopCommand(command, 'SIGKILL')
    const devnet = await start({ from: killed })
    expect(await devnet.height()).toBe(5)
    await stopAll()
    const links = readdirSync(killed, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).nlink)
    expect(Math.max(...links)).toBe(1)
    await noProblems(killed)
  })
})

describe('an archive is refused', () => {
  const cases: [string, (archive: Buffer) => Buffer, RegExp][] = [
    ['torn', (archive) => archive.subarray(0, archive.length - 1000), /damaged or incomplete/],
    ['torn early', (archive) => archive.subarray(0, 100), /damaged or incomplete/],
    ['empty', () => Buffer.alloc(0), /damaged or incomplete/],
    ['with other bytes', flipInside, /is damaged: .*does not match its checksum/],
    ['of another program', () => Buffer.from('PK'.repeat(1000)), /is not an archive of standin pack/],
    ['a tar file of something else', () => gzipSync(Buffer.alloc(1024)), /is not an archive of standin pack/],
    [
      'of another format',
      (archive) => replaceInside(archive, '"formatVersion": 6', '"formatVersion": 5'),
      /format 5/,
    ],
    [
      'that names a file outside',
      (archive) => replaceInside(archive, '"name": "chain/', '"name": "../in/'),
      /lists no files/,
    ],
    [
      'without the file that it names',
      (archive) => replaceInside(archive, 'files/index/CURRENT', 'files/index/CURRENX'),
      /is not the next file in its manifest/,
    ],
  ]

  test.each(cases)('%s', async (name, change, message) => {
    const path = join(folder, name.replaceAll(' ', '-'))
    await writeFile(path, change(await readFile(file)))
    const cache = join(folder, `cache-${name.replaceAll(' ', '-')}`)
    await expect(start({ from: path, archiveCache: cache })).rejects.toThrow(message)
    await expect(start({ from: path, archiveCache: cache })).rejects.toThrow(path)
    expect(readdirSync(cache)).toEqual(['running'])
  })

  test('that does not exist', async () => {
    await expect(start({ from: join(folder, 'nowhere') })).rejects.toThrow(/nowhere does not exist/)
  })
})

/** Flips a bit in the middle of the largest file. */
function flipInside(archive: Buffer): Buffer {
  const tar = gunzipSync(archive)
  const at = tar.indexOf('contentcontent')
  if (at < 0) throw new Error('the file is not there')
  tar[at + 1000] = (tar[at + 1000] ?? 0) ^ 1
  return gzipSync(tar)
}

function replaceInside(archive: Buffer, from: string, to: string): Buffer {
  const tar = gunzipSync(archive)
  const at = tar.indexOf(from)
  if (at < 0 || from.length !== to.length) throw new Error(`${from} cannot be replaced`)
  tar.write(to, at, 'latin1')
  return gzipSync(tar)
}

describe('the command', () => {
  test('packs, starts from the archive, and reports a bad archive', async () => {
    await buildCommand()
    const packed = join(folder, 'by-command')
    const pack = runCommand(['pack', dataDir, packed])
    expect(await pack.ended).toBe(0)
    expect(pack.stdout()).toMatch(/^Packed \d+ files with [\d.]+ [KM]B into .*by-command, [\d.]+ [KM]B\n$/)
    const args = ['--from', packed, '--archive-cache', join(folder, 'cache-of-command')]
    const nodes = await Promise.all(Array.from({ length: 6 }, () => startCommand(args)))
    const heights = await Promise.all(nodes.map(({ ready }) => callRpc(ready.url, 'eth_blockNumber', [])))
    expect(heights).toEqual(Array(6).fill(numberToHex(blocks)))
    await Promise.all(nodes.map((node) => stopCommand(node)))
    const refused = runCommand(['--from', join(folder, 'keys.json'), '--archive-cache', archiveCache])
    expect(await refused.ended).toBe(2)
    expect(refused.stderr()).toMatch(/^standin: .*keys\.json is not an archive of standin pack\.\n$/)
  })

  test('packs and verifies a directory with more tables than are checked when it is opened', async () => {
    await buildCommand()
    const many = join(folder, 'many-tables')
    const node = await startCommand(['--data-dir', many])
    await callRpc(node.ready.url, 'anvil_mine', ['0xfa0'])
    await stopCommand(node)
    const verify = runCommand(['verify', '--data-dir', many])
    expect(await verify.ended).toBe(0)
    expect(verify.stdout()).toContain('4001 blocks')
    const packed = join(folder, 'many-tables.standin')
    const pack = runCommand(['pack', many, packed])
    expect(await pack.ended).toBe(0)
    expect(pack.stdout()).toMatch(/^Packed \d+ files/)
    expect(statSync(packed).size).toBeGreaterThan(0)
  })

  test('leaves nothing incomplete when it is killed while unpacking', async () => {
    await buildCommand()
    const cache = join(folder, 'cache-of-killed')
    const big = join(folder, 'big')
    const devnet = await startDevnet({ dataDir: big, ipfsPort: 0 })
    const random = Uint8Array.from(randomBytes(40_000_000))
    const large = await addFile(devnet.node.ipfsUrl, random)
    await stopDevnet(devnet)
    const archive = join(folder, 'big-archive')
    await packData({ dataDir: big, file: archive, keys: undefined })
    const args = ['--json', '--port', '0', '--ipfs-port', '0', '--from', archive, '--archive-cache', cache]
    const drafts = (): string[] => {
      try {
        return readdirSync(cache, { recursive: true }).map(String)
      } catch {
        return []
      }
    }
    // On a busy machine everything may be unpacked before the kill.
    for (let isKilledInTime = false; !isKilledInTime;) {
      rmSync(cache, { recursive: true, force: true })
      const killed = runCommand(args)
      await until(() => drafts().some((name) => name.includes('.unpacking/data/')))
      killed.child.kill('SIGKILL')
      await killed.ended
      isKilledInTime = drafts().some((name) => name.includes('.unpacking/data/'))
    }
    expect(drafts().filter((name) => /^[0-9a-f]{64}$/.test(name))).toEqual([])
    const node = await startCommand(['--from', archive, '--archive-cache', cache])
    const bytes = Buffer.from(await (await callFileNetwork(node.ready.ipfsUrl, 'cat', large)).arrayBuffer())
    expect(bytes.equals(random)).toBe(true)
    expect(drafts().filter((name) => name.includes('unpacking'))).toEqual([])
    await stopCommand(node)
  })
})
