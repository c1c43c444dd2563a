import { createHash, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { codecCode } from '../cid/cidFormat.js'
import { encodeLinklessNode, unixfsType } from '../unixfs/data.js'
import { BlockMemory, isIntact } from './blockstore.js'

const data = Uint8Array.from(randomBytes(1000))
/** Encodes a multihash: code and digest length, a byte each, and the digest. */
const multihash = (code: number, digest: Uint8Array): Uint8Array =>
  Uint8Array.of(code, digest.length, ...digest)
const sha256 = createHash('sha256').update(data).digest()

it('accepts only bytes that match their multihash', async () => {
  expect(await isIntact(multihash(0x12, sha256), data)).toBe(true)
  expect(await isIntact(multihash(0x12, sha256.subarray(0, 20)), data)).toBe(true)
  expect(await isIntact(multihash(0x12, sha256), data.subarray(1))).toBe(false)
  expect(await isIntact(multihash(0x11, sha256), data)).toBe(false)
})

it('trusts an unknown hash function', async () => {
  expect(await isIntact(multihash(0x7f, sha256), data)).toBe(true)
})

it('rejects a key that is not a multihash', async () => {
  expect(await isIntact(new Uint8Array(34), data)).toBe(false)
  expect(await isIntact(multihash(0x12, sha256).subarray(0, 30), data)).toBe(false)
  expect(await isIntact(new Uint8Array(0), data)).toBe(false)
})

const { signal } = new AbortController()

/** A node of five megabytes of links, which takes about 130 MB once it is decoded. */
const links = new Uint8Array(5e6).fill(0x12)

it('lets a few requests decode large blocks at once; the others wait until one has ended', async () => {
  const requests = Array.from({ length: 5 }, () => new BlockMemory(signal))
  const claims = requests.map((request) => request.claim(codecCode.dagPb, links))
  expect(claims.map((claim) => claim === undefined)).toEqual([true, true, true, false, false])
  requests[0]?.end()
  await claims[3]
  for (const request of requests) request.end()
  await claims[4]
})

it('lets common blocks pass, whatever large ones take', () => {
  const holders = Array.from({ length: 3 }, () => new BlockMemory(signal))
  for (const holder of holders) expect(holder.claim(codecCode.dagPb, links)).toBeUndefined()
  const directories = Array.from({ length: 50 }, () => new BlockMemory(signal))
  const directory = links.subarray(0, 400_000)
  for (const request of directories) expect(request.claim(codecCode.dagPb, directory)).toBeUndefined()
  for (const request of [...holders, ...directories]) request.end()
})

it('counts the largest block of a request', () => {
  const requests = Array.from({ length: 3 }, () => new BlockMemory(signal))
  for (const request of requests) {
    for (let block = 0; block < 5; block++) expect(request.claim(codecCode.dagPb, links)).toBeUndefined()
  }
  for (const request of requests) request.end()
})

it('counts neither raw blocks nor the data of a file as values', () => {
  const leaf = encodeLinklessNode({ type: unixfsType.file, data: new Uint8Array(2e6), blockSizes: [] })
  const requests = Array.from({ length: 100 }, () => new BlockMemory(signal))
  for (const request of requests) {
    expect(request.claim(codecCode.raw, links)).toBeUndefined()
    expect(request.claim(codecCode.dagPb, leaf)).toBeUndefined()
  }
  for (const request of requests) request.end()
})

it('rejects the claim of a client that left while it waited', async () => {
  const holders = Array.from({ length: 3 }, () => new BlockMemory(signal))
  for (const holder of holders) void holder.claim(codecCode.dagPb, links)
  const leaving = new AbortController()
  const left = new BlockMemory(leaving.signal)
  const waiting = left.claim(codecCode.dagPb, links)
  leaving.abort(new Error('the client left'))
  await expect(waiting).rejects.toThrow('the client left')
  for (const holder of holders) holder.end()
})
