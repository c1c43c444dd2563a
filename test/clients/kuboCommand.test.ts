import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNode } from '../../src/index.js'

const execute = promisify(execFile)

const isInstalled = spawnSync('ipfs', ['version', '--number']).stdout?.toString().trim() === '0.42.0'
if (!isInstalled) console.warn('skipped: ipfs 0.42.0 is not in the path')

/** Command lines of a user, in order. `$tree` is the root of a directory, `$node` a dag-cbor node. */
const lines = [
  'add -r tree',
  'add -rQ --cid-version=1 tree',
  'add -q --chunker=size-1000 --trickle tree/large',
  'add --only-hash -n tree/small.txt',
  'ls $tree',
  'ls --size=false $tree/folder',
  'cat $tree/small.txt',
  'cat --offset 3 --length 4 $tree/folder/other.txt',
  'cat $tree/missing',
  'cat $tree',
  'get -o out/tree $tree',
  'get -o out/small.txt $tree/small.txt',
  'refs -r -u --format <src>→<dst> $tree',
  'resolve -r /ipfs/$tree/folder/other.txt',
  'dag put --store-codec dag-cbor value.json',
  'dag get $node',
  'dag get $node/list/1',
  'dag resolve $node/link/folder/other.txt',
  'dag stat --progress=false $tree',
  'dag export --progress=false $tree',
  'dag import out.car',
  'block put --cid-codec raw tree/small.txt',
  'block stat $tree',
  'files mkdir -p /a/b',
  'files cp /ipfs/$tree /a/tree',
  'files write --create --parents /a/b/c/new.txt tree/small.txt',
  'files write --offset 2 /a/b/c/new.txt tree/folder/other.txt',
  'files ls -l /a',
  'files ls -l --U /a/tree',
  'files stat /a',
  'files stat --format <hash>,<size> /a/b/c/new.txt',
  'files read /a/b/c/new.txt',
  'files mv /a/tree /moved',
  'files rm /a',
  'files rm -r /a',
  'files chcid --cid-version 1 /moved',
  'files stat /moved',
  'pin ls --type recursive',
  'pin ls $tree',
  'pin add --name kept $node',
  'pin ls --names --type recursive',
  'pin rm $tree',
  'pin rm $tree',
  'pin verify',
  'key gen --type=rsa --size=2048 named',
  'key rename named renamed',
  'key rm renamed missing',
  'cid format -v 1 -b base58btc $tree',
  'cid base32 $tree',
  'multibase encode -b base16 tree/small.txt',
  'multibase list',
  'config Import.CidVersion --json 1',
  'add -Q tree/small.txt',
  'config Import.CidVersion --json 0',
  'repo gc --silent',
  'block put tree/folder/other.txt',
  'dag put --store-codec dag-json value.json',
  'repo gc -q',
  'repo verify',
  'version --all',
  'nothing',
  'add missing',
  'ls not-a-cid',
]

/** Output that Kubo prints in the order of its store. */
const unordered = /^(pin ls|repo gc)/

/** Parts of the output that differ between repositories. */
const ownParts = [
  // Creating a repository pins an empty directory.
  /^QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn recursive\n/gm,
  // Keys are random.
  /\b(k51|12D3|Qm)\w{40,}(?= (re)?named\b)/g,
  /\bk[0-9a-z]{50,}/g,
  // Progress bars depend on speed.
  /^.*\r/gm,
  / [\d.]+ [KMG]?i?B \/ .*/g,
  // Name of the machine that built Kubo.
  /^(System|Golang) version: .*$/gm,
]

describe.skipIf(!isInstalled)("Kubo's command (skipped unless it is in the path)", () => {
  let folder: string
  let node: Awaited<ReturnType<typeof createNode>>

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'standin-kubo-command-'))
    node = await createNode()
  })

  afterAll(async () => {
    await node.stop()
    await rm(folder, { recursive: true })
  })

  /** Runs all lines in their own directory. */
  async function run(
    name: string,
    parameters: readonly string[],
  ): Promise<{ line: string; printed: string }[]> {
    const directory = join(folder, name)
    await prepare(directory)
    const env = { ...process.env, IPFS_PATH: join(directory, 'repository'), NO_COLOR: '1' }
    const ipfs = (args: readonly string[]): Promise<Outcome> =>
      execute('ipfs', args, { cwd: directory, env, maxBuffer: 2 ** 26, encoding: 'latin1' }).then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        (error: Outcome) => error,
      )
    await ipfs(['init', '--empty-repo'])
    const known: Record<string, string> = {}
    const results = []
    for (const line of lines) {
      const args = line.split(' ').map((word) => word.replace(/\$(\w+)/, (_, id: string) => known[id] ?? ''))
      const { stdout, stderr, code } = await ipfs([...parameters, ...args])
      if (line.startsWith('dag export')) await writeFile(join(directory, 'out.car'), stdout, 'latin1')
      if (line.startsWith('dag put')) known['node'] = stdout.trim()
      if (line === lines[0]) {
        known['tree'] = stdout.trim().split('\n').at(-1)?.split(' ')[1] ?? ''
        const value = { list: [1, 'two'], link: { '/': known['tree'] } }
        await writeFile(join(directory, 'value.json'), JSON.stringify(value))
      }
      const ordered = unordered.test(line) ? stdout.split('\n').sort().join('\n') : stdout
      const text = `${code}\n${ordered}\n${stderr}`
      results.push({ line, printed: ownParts.reduce((all, part) => all.replace(part, ''), text) })
    }
    return [...results, { line: 'what was written', printed: await digests(join(directory, 'out')) }]
  }

  it('prints and writes the same with the node as with its own repository', async () => {
    const { hostname, port } = new URL(node.ipfsUrl)
    const ours = await run('node', ['--api', `/ip4/${hostname}/tcp/${port}`])
    const itsOwn = await run('own', [])
    for (const [index, expected] of itsOwn.entries()) expect.soft(ours[index]).toEqual(expected)
  }, 300_000)
})

/** Result of running the command. */
interface Outcome {
  code: number
  stdout: string
  stderr: string
}

/** Files to add. */
async function prepare(directory: string): Promise<void> {
  await mkdir(join(directory, 'tree/folder'), { recursive: true })
  await mkdir(join(directory, 'out'))
  await writeFile(join(directory, 'tree/small.txt'), 'hello world\n')
  await writeFile(join(directory, 'tree/folder/other.txt'), 'something else\n')
  const large = Uint8Array.from({ length: 700_000 }, (_, at) => at * 31 + (at >> 8))
  await writeFile(join(directory, 'tree/large'), large)
  await symlink('small.txt', join(directory, 'tree/link'))
}

/** Hashes of all files in a directory, and targets of symlinks. */
async function digests(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const lines = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name)
    const name = relative(folder, path)
    if (entry.isSymbolicLink()) return `${name} -> ${await readlink(path)}`
    if (!entry.isFile()) return `${name}/`
    return `${name} ${createHash('sha256')
      .update(await readFile(path))
      .digest('hex')}`
  })
  return (await Promise.all(lines)).sort().join('\n')
}
