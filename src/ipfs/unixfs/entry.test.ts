import { CID } from 'multiformats/cid'
import { expect, it } from 'vitest'
import { hashFunctionByName } from '../cid/cidFormat.js'
import { importSettings } from '../configuration/importSettings.js'
import { BlockWriter } from './blockWriter.js'
import { unixfsType } from './data.js'
import { buildDirectory } from './directoryBuilder.js'
import { recallEntry } from './entry.js'
import { type UnixfsLink, writeNode } from './node.js'

const target = CID.parse('QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH')
const linksNamed = (names: string[]): UnixfsLink[] => names.map((name) => ({ name, cid: target, size: 6 }))

interface Stored {
  cid: CID
  block: Uint8Array
}

/** Returns what a function writes with a writer. */
async function written(write: (writer: BlockWriter) => Promise<unknown>): Promise<Stored> {
  const stored: Stored[] = []
  const hash = await hashFunctionByName('sha2-256')
  const writer = new BlockWriter({ version: 1, hash }, async (cid, block) => void stored.push({ cid, block }))
  await write(writer)
  await writer.stored()
  return stored.at(-1)!
}

async function directoryOf(prefix: string, count: number): Promise<Stored> {
  const links = linksNamed(Array.from({ length: count }, (_, index) => `${prefix}${index}`))
  const { directory } = await importSettings('unixfs-v0-2015')
  return written((writer) => buildDirectory({ links, settings: directory, writer }))
}

it('decodes a directory once, even for those who ask at the same time', async () => {
  const { cid, block } = await directoryOf('once', 100)
  const [first, second] = await Promise.all([recallEntry(cid, block), recallEntry(cid, block.slice())])
  expect(first.node?.links).toHaveLength(100)
  expect(second.node).toBe(first.node)
  expect((await recallEntry(cid, block.slice())).node).toBe(first.node)
})

it('decodes a block again that differs from the one remembered', async () => {
  const { cid, block } = await directoryOf('same', 100)
  const { block: other } = await directoryOf('diff', 100)
  await recallEntry(cid, block)
  const { node } = await recallEntry(cid, other)
  expect(node?.links[0]?.name).toBe('diff0')
})

it('gives everybody who loads a file a node of their own', async () => {
  const blockSizes = Array<number>(100).fill(6)
  const message = { type: unixfsType.file, fileSize: 600, blockSizes }
  const links = linksNamed(Array<string>(100).fill(''))
  const { cid, block } = await written((writer) => writeNode(writer, message, links))
  const [first, second] = await Promise.all([recallEntry(cid, block), recallEntry(cid, block)])
  first.node?.links.pop()
  expect(second.node?.links).toHaveLength(100)
  expect((await recallEntry(cid, block)).node?.links).toHaveLength(100)
})

it('forgets no directory for files', async () => {
  const { cid, block } = await directoryOf('kept', 100)
  const { node } = await recallEntry(cid, block)
  const files: Stored[] = []
  for (let index = 0; index < 5; index++) {
    const data = new Uint8Array(250_000).fill(index)
    const message = { type: unixfsType.file, data, fileSize: data.length, blockSizes: [] }
    files.push(await written((writer) => writeNode(writer, message)))
  }
  await Promise.all(files.map((file) => recallEntry(file.cid, file.block)))
  expect((await recallEntry(cid, block)).node).toBe(node)
})

it('forgets the directories read longest ago', async () => {
  const stored: Stored[] = []
  for (let index = 0; index < 6; index++) stored.push(await directoryOf(`${index}-`, 4500))
  expect(stored[0]!.block.length).toBeGreaterThan(200_000)
  const nodes = []
  for (const { cid, block } of stored) nodes.push((await recallEntry(cid, block)).node)
  const again: unknown[] = []
  for (const { cid, block } of stored.toReversed()) again.unshift((await recallEntry(cid, block)).node)
  expect(nodes.map((node, index) => node === again[index])).toEqual([false, false, true, true, true, true])
})

it('rejects a malformed block for all who ask at the same time', async () => {
  const block = new Uint8Array(5000).fill(0xff)
  const answers = await Promise.allSettled([recallEntry(target, block), recallEntry(target, block)])
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await expect(recallEntry(target, block)).rejects.toThrow('variable length integer overflow')
})
