import type { CID } from 'multiformats/cid'
import { LargeMap } from '../../encoding/largeMap.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import { cidKey, listedCid } from '../cid/cidFormat.js'
import { linksOf } from '../dag/links.js'
import { errorText } from '../../encoding/errorText.js'
import { BlockNotFoundError, FileNetworkError, withoutName } from '../errors.js'
import { resolveText } from '../names/nameSystem.js'
import type { NetworkContext } from '../networkContext.js'
import { defineCommand, pathArguments, values } from '../request/command.js'

/** Which links to list, and how. */
interface RefsRule {
  unique: boolean
  /** Levels below the root; -1: all. */
  maxDepth: number
  format: string
}

/** The longest line, in characters: a format may repeat a name of megabytes a thousand times. */
const MAX_LINE_LENGTH = 8 * 1024 * 1024

/**
 * `refs`: lists the links of objects. As in Kubo, an error midway becomes a line; but a block that did not arrive in
 * time ends the answer, so that the client learns of the timeout.
 */
export const refs = defineCommand({
  description: 'List the links of objects.',
  arguments: [pathArguments('ipfs-path', 'Objects.', 'all')],
  options: {
    format: {
      type: 'string',
      default: '<dst>',
      description: 'Format of a line, with <src>, <dst> and <linkname>.',
    },
    edges: { type: 'bool', aliases: ['e'], description: 'Use the format `<src> -> <dst>`.' },
    unique: { type: 'bool', aliases: ['u'], description: 'Omit duplicate links.' },
    recursive: { type: 'bool', aliases: ['r'], description: 'Also list the links of linked objects.' },
    'max-depth': { type: 'int', default: -1, description: 'Maximum depth; -1 means unlimited.' },
  },
  text: textOfReference,
  async run({ args, options, encodeCid, waitsForBlocks }, network) {
    const format = options.format || '<dst>'
    if (options.edges && options.format !== '<dst>') {
      throw new FileNetworkError('using format argument with edges is not allowed')
    }
    const rule: RefsRule = {
      unique: options.unique === true,
      maxDepth: options.recursive ? options['max-depth'] : 1,
      format: options.edges ? '<src> -> <dst>' : format,
    }
    const roots: CID[] = []
    for (const arg of args) roots.push((await resolveText(network, arg)).cid)
    return values(listRefs(network, roots, { ...rule, encodeCid, waitsForBlocks }))
  },
})

/** Formats a line; the first error ends the text. */
function textOfReference({ Ref, Err }: { Ref: string; Err: string }): string {
  if (Err !== '') throw new FileNetworkError(Err)
  return `${Ref}\n`
}

async function* listRefs(
  { blockstore }: NetworkContext,
  roots: CID[],
  rule: RefsRule & { encodeCid: (cid: CID) => string; waitsForBlocks: boolean },
): AsyncGenerator<{ Ref: string; Err: string }> {
  const { unique, maxDepth, format, encodeCid, waitsForBlocks } = rule
  /** Depth at which a CID was last seen; only for unique listings. */
  const met = new LargeMap<number>()

  /** Decides whether to list a link at a depth, and whether to descend. */
  function visit(cid: CID, depth: number): { list: boolean; descend: boolean } {
    if (maxDepth >= 0 && depth > maxDepth) return { list: false, descend: false }
    const descend = depth !== maxDepth
    if (!unique) return { list: true, descend }
    const key = cidKey(cid)
    const before = met.get(key)
    if (before !== undefined && (maxDepth < 0 || before <= depth)) return { list: false, descend: false }
    met.set(key, depth)
    return { list: before === undefined, descend }
  }

  const counts = (['<src>', '<dst>', '<linkname>'] as const).map((field) => format.split(field).length - 1)
  const [sources = 0, targets = 0, linkNames = 0] = counts

  function toLine(source: CID, target: CID, name: string): string {
    const src = sources === 0 ? '' : encodeCid(source)
    const dst = targets === 0 ? '' : encodeCid(target)
    const length = format.length + sources * src.length + targets * dst.length + linkNames * name.length
    if (length > MAX_LINE_LENGTH) {
      throw new FileNetworkError(`a line of more than ${MAX_LINE_LENGTH} characters`)
    }
    return format
      .replaceAll('<src>', src)
      .replaceAll('<dst>', dst)
      .replaceAll('<linkname>', () => name)
  }

  async function child(cid: CID): Promise<Uint8Array> {
    try {
      return await blockstore.get(cid)
    } catch (error) {
      throw withoutName(error)
    }
  }

  const slice = new TimeSlice()
  async function* below(root: CID): AsyncGenerator<string> {
    const stack = [{ cid: root, links: await linksOf(root, await blockstore.get(root)), next: 0 }]
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const pause = slice.pause()
      if (pause !== undefined) await pause
      const link = top.links[top.next++]
      if (link === undefined) {
        stack.pop()
        continue
      }
      const { list, descend } = visit(link.cid, stack.length)
      if (!list && !descend) continue
      const links = await linksOf(link.cid, await child(link.cid))
      if (list) yield toLine(top.cid, link.cid, link.name)
      if (descend) stack.push({ cid: link.cid, links, next: 0 })
    }
  }

  for (const root of roots) {
    try {
      for await (const line of below(root)) yield { Ref: line, Err: '' }
    } catch (error) {
      if (waitsForBlocks && error instanceof BlockNotFoundError) throw error
      yield { Ref: '', Err: errorText(error) }
    }
  }
}

/** `refs/local` and `repo/ls`: list every stored block as a raw one, since Kubo keys blocks by multihash. */
export const refsLocal = defineCommand({
  description: 'List all stored blocks.',
  arguments: [],
  options: {},
  text: textOfReference,
  run({ encodeCid }, { blockstore }) {
    return values(
      (async function* () {
        let last: CID | undefined
        for await (const cid of blockstore.cids()) {
          const block = listedCid(cid)
          if (last === undefined || !block.equals(last)) yield { Ref: encodeCid(block), Err: '' }
          last = block
        }
      })(),
    )
  },
})
