import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FileNetwork, createFileNetwork } from '../../src/ipfs/index.js'
import { type BundledProgram, bundleProgram } from '../support/bundledProcess.js'

/**
 * Adds, unpins, writes and collects concurrently, and prints a line for each acknowledgement. Content is derived from
 * a number, so that the parent can reproduce it.
 */
const source = `
  import { createHash } from 'node:crypto'
  import { writeSync } from 'node:fs'
  import { createFileNetwork } from './src/ipfs/index.js'
  const network = await createFileNetwork({ directory: process.argv[2] })
  const first = Number(process.argv[3])
  const content = (n) => {
    const piece = createHash('sha512').update(String(n)).digest()
    return Buffer.concat(Array.from({ length: 1 + (n * 7919) % 12_000 }, () => piece))
  }
  async function ask(operation, query, file) {
    const body = file && Buffer.concat([
      Buffer.from('--b\\r\\nContent-Disposition: form-data; name="f"; filename="f"\\r\\n\\r\\n'),
      file, Buffer.from('\\r\\n--b--\\r\\n'),
    ])
    const reply = await network.execute({
      operation, query: new URLSearchParams(query), signal: new AbortController().signal,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      body: body && (async function* () { yield body })(),
    })
    let text = ''
    if (reply.body instanceof Uint8Array) text = Buffer.from(reply.body).toString()
    else for await (const bytes of reply.body) text += Buffer.from(bytes).toString()
    if (reply.status !== 200) throw new Error(operation + ' ' + text)
    return text
  }
  async function addForever(n) {
    for (;; n += 4) {
      const { Hash } = JSON.parse(await ask('add', {}, content(n)))
      writeSync(1, 'pinned ' + n + ' ' + Hash + '\\n')
      if (n % 3 === 0) {
        writeSync(1, 'unpinning ' + n + ' ' + Hash + '\\n')
        await ask('pin/rm', { arg: Hash })
      }
    }
  }
  async function writeForever(n) {
    for (;; n += 4) {
      await ask('files/write', { arg: '/file-' + n, create: 'true' }, content(n))
      writeSync(1, 'written ' + n + ' -\\n')
    }
  }
  async function collectForever() {
    for (;;) {
      await ask('repo/gc', {})
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  writeSync(1, 'ready 0 -\\n')
  await Promise.all([addForever(first), addForever(first + 1), writeForever(first + 2), collectForever()])
`

let program: BundledProgram
let directory: string

beforeAll(async () => {
  program = await bundleProgram(source)
  directory = await mkdtemp(join(tmpdir(), 'file-network-crash-'))
})

afterAll(async () => {
  program.remove()
  await rm(directory, { recursive: true, force: true })
})

function contentOf(n: number): Buffer {
  const piece = createHash('sha512').update(String(n)).digest()
  return Buffer.concat(Array.from({ length: 1 + ((n * 7919) % 12_000) }, () => piece))
}

async function ask(network: FileNetwork, operation: string, arg: string): Promise<Buffer> {
  const reply = await network.execute({
    operation,
    query: new URLSearchParams({ arg }),
    headers: {},
    signal: new AbortController().signal,
  })
  const pieces: Uint8Array[] = []
  if (reply.body instanceof Uint8Array) pieces.push(reply.body)
  else for await (const piece of reply.body) pieces.push(Uint8Array.from(piece))
  if (reply.status !== 200) throw new Error(`${operation} ${arg}: ${Buffer.concat(pieces).toString()}`)
  return Buffer.concat(pieces)
}

it('has every acknowledged file, pin and mutable file after kill -9 amid garbage collection', async () => {
  const pinned = new Map<number, string>()
  const written = new Set<number>()
  for (let round = 0; round < 8; round++) {
    const child = program.run(directory, String(round * 1_000_000))
    let output = ''
    let errors = ''
    child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()))
    child.stderr.on('data', (bytes: Buffer) => (errors += bytes.toString()))
    while (output.split('\n').length < 10 + round * 12 && errors === '') {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const ended = new Promise((resolve) => child.on('close', resolve))
    child.kill('SIGKILL')
    await ended
    expect(errors).toBe('')

    for (const line of output.split('\n').slice(0, -1)) {
      const [what, n = '', hash = ''] = line.split(' ')
      if (what === 'pinned') pinned.set(Number(n), hash)
      if (what === 'unpinning') pinned.delete(Number(n))
      if (what === 'written') written.add(Number(n))
    }
    const network = await createFileNetwork({ directory, verifyBlocks: true })
    try {
      for (const [n, hash] of pinned) {
        expect((await ask(network, 'cat', hash)).equals(contentOf(n)), `content ${n}`).toBe(true)
        expect((await ask(network, 'pin/ls', hash)).toString()).toContain('recursive')
      }
      for (const n of written) {
        const content = await ask(network, 'files/read', `/file-${n}`)
        expect(content.equals(contentOf(n)), `file ${n}`).toBe(true)
      }
      expect((await ask(network, 'repo/verify', '')).toString()).toContain('all blocks validated')
    } finally {
      await network.close()
    }
  }
  expect(pinned.size).toBeGreaterThan(20)
  expect(written.size).toBeGreaterThan(10)
})
