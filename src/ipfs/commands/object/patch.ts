import type { CID } from 'multiformats/cid'
import { type Steps, TimeSlice, runInSlices } from '../../../encoding/timeSlice.js'
import { allowBigBlock, checkBlockSize } from '../../blockSize.js'
import { codecCode, formatOf, hashFunctionByName, makeCid, makeCidInSlices } from '../../cid/cidFormat.js'
import { LINKS_AT_ONCE, type PBLink, type PBNode, decodeDagPbInSteps, encodeDagPb } from '../../dag/dagPb.js'
import { FileNetworkError } from '../../errors.js'
import { linksOf } from '../../dag/links.js'
import { checkPaths, resolveText } from '../../names/nameSystem.js'
import { defineCommand, nothing, pathArgument, single } from '../../request/command.js'
import type { Session } from '../../store/blockstore.js'
import { type UnixfsType, decodeUnixfsInSteps, encodeUnixfs, unixfsType } from '../../unixfs/data.js'
import type { BlockSource, UnixfsEntry } from '../../unixfs/entry.js'
import { sizeOfLink } from '../../unixfs/node.js'

/*
 * These operations change dag-pb links without regard to UnixFS: a sharded directory or a file would no longer match
 * its own metadata. So they accept only plain directories, unless told otherwise.
 */

const allowNonUnixfs = {
  type: 'bool',
  // Kubo declares an empty name too.
  aliases: [''],
  description: 'Allow nodes that are not plain directories.',
} as const

/** The option shared by all operations of `object/patch`. */
const patchOptions = { 'allow-big-block': { ...allowBigBlock, inherited: true } } as const

/** `object/patch`: declares the option that its suboperations share. */
export const objectPatch = defineCommand({
  description: 'Change the links of dag-pb nodes.',
  arguments: [],
  options: patchOptions,
  run: () => nothing(),
})

/** `object/patch/add-link`: adds a link to a node, replacing one of the same name. */
export const objectPatchAddLink = defineCommand({
  description: 'Add a link to a dag-pb node.',
  arguments: [
    pathArgument('root', 'Node.'),
    pathArgument('name', 'Name of the link, or a path to it.'),
    pathArgument('ref', 'Object to link to.'),
  ],
  options: {
    create: { type: 'bool', aliases: ['p'], description: 'Create missing intermediate directories.' },
    'allow-non-unixfs': allowNonUnixfs,
    ...patchOptions,
  },
  text: ({ Hash }: { Hash: string }) => `${Hash}\n`,
  async run({ args: [root = '', path = '', ref = ''], options, encodeCid }, network) {
    const { blockstore } = network
    checkPaths(root, ref)
    const { cid: rootCid } = await resolveText(network, root)
    await linksOf(rootCid, await blockstore.get(rootCid))
    const { cid: child } = await resolveText(network, ref)
    await linksOf(child, await blockstore.get(child))
    const base = await readBase(rootCid, blockstore)
    const link = { cid: child, size: await sizeOfDag(blockstore, child) }
    if (!options['allow-non-unixfs']) await checkDirectory(base, { verb: 'add', preposition: 'to' })
    const session = blockstore.openSession()
    try {
      const changed = await addLink({ source: blockstore, session, create: options.create === true }, base, {
        path: path.split('/'),
        link,
      })
      checkBlockSize(changed.blockLength, options)
      return single({ Hash: encodeCid(changed.cid) })
    } finally {
      session.end()
    }
  },
})

/** `object/patch/rm-link`: removes a link from a node. */
export const objectPatchRmLink = defineCommand({
  description: 'Remove a link from a dag-pb node.',
  arguments: [pathArgument('root', 'Node.'), pathArgument('name', 'Name of the link, or a path to it.')],
  options: { 'allow-non-unixfs': allowNonUnixfs, ...patchOptions },
  text: ({ Hash }: { Hash: string }) => `${Hash}\n`,
  async run({ args: [root = '', path = ''], options, encodeCid }, network) {
    const { blockstore } = network
    const base = await readBase((await resolveText(network, root)).cid, blockstore)
    if (!options['allow-non-unixfs']) await checkDirectory(base, { verb: 'remove', preposition: 'from' })
    const session = blockstore.openSession()
    try {
      const changed = await removeLink({ source: blockstore, session, create: false }, base, path.split('/'))
      checkBlockSize(changed.blockLength, options)
      return single({ Hash: encodeCid(changed.cid) })
    } finally {
      session.end()
    }
  },
})

interface BaseNode {
  cid: CID
  node: PBNode
}

interface ChangedNode {
  cid: CID
  size: number
  blockLength: number
}

interface Editing {
  source: BlockSource
  session: Session
  /** Whether to create missing directories on the path. */
  create: boolean
}

async function readBase(cid: CID, source: BlockSource): Promise<BaseNode> {
  const block = await source.get(cid)
  if (cid.code !== codecCode.dagPb) {
    await linksOf(cid, block)
    throw new FileNetworkError('expected protobuf dag node')
  }
  return { cid, node: await decodeNode(block) }
}

function decodeNode(block: Uint8Array): Promise<PBNode> {
  return runInSlices(decodeDagPbInSteps(block), new TimeSlice())
}

/** Type names in boxo's messages. */
const typeNames: Readonly<Partial<Record<UnixfsType, string>>> = {
  [unixfsType.raw]: 'Raw',
  [unixfsType.file]: 'File',
  [unixfsType.metadata]: 'Metadata',
  [unixfsType.symlink]: 'Symlink',
}

/** @throws {@link FileNetworkError} with Kubo's message (`core/coreapi/object.go`) */
async function checkDirectory(
  { node }: BaseNode,
  { verb, preposition }: { verb: string; preposition: string },
): Promise<void> {
  const what = verb === 'add' ? 'add named links' : 'remove links'
  const type = await typeOf(node)
  if (type === unixfsType.directory) return
  if (type === undefined) {
    throw new FileNetworkError(
      `cannot ${what} ${preposition} a non-UnixFS dag-pb node; pass --allow-non-unixfs to skip validation`,
    )
  }
  if (type === unixfsType.hamtShard) {
    const instead = verb === 'add' ? "'ipfs files' commands instead" : "'ipfs files rm' instead"
    throw new FileNetworkError(
      `cannot ${verb} links ${preposition} a HAMTShard at the dag-pb level (would corrupt the HAMT bitfield); ` +
        `use ${instead}, or pass --allow-non-unixfs to override`,
    )
  }
  const noun = verb === 'add' ? 'addition' : 'removal'
  throw new FileNetworkError(
    `cannot ${what} ${preposition} a UnixFS ${typeNames[type] ?? ''} node, only Directory nodes support link ${noun} ` +
      'at the dag-pb level (see https://specs.ipfs.tech/unixfs/)',
  )
}

async function typeOf({ Data }: PBNode): Promise<UnixfsType | undefined> {
  try {
    const { type } = await runInSlices(decodeUnixfsInSteps(Data ?? new Uint8Array()), new TimeSlice())
    return type
  } catch {
    return undefined
  }
}

/**
 * Changes the node at a path of names, and every node above it.
 *
 * @param change - returns the changed version of the node that holds, or will hold, the last name
 */
async function changeAt(
  editing: Editing,
  root: BaseNode,
  path: readonly string[],
  change: (node: BaseNode, name: string) => Promise<ChangedNode>,
): Promise<ChangedNode> {
  const slice = new TimeSlice()
  const names = [...path]
  const last = names.pop() ?? ''
  const above: { node: BaseNode; name: string }[] = []
  let node = root
  for (const name of names) {
    above.push({ node, name })
    node = await readChild(editing, node, name)
    await slice.pause()
  }
  let changed = await change(node, last)
  for (const parent of above.reverse()) {
    changed = await replaceLink(editing, parent.node, parent.name, changed)
    await slice.pause()
  }
  return changed
}

function addLink(
  editing: Editing,
  root: BaseNode,
  { path, link }: { path: readonly string[]; link: { cid: CID; size: number } },
): Promise<ChangedNode> {
  return changeAt(editing, root, path, async (node, name) => {
    if (name === '') throw new FileNetworkError('cannot create link with no name')
    return replaceLink(editing, node, name, link)
  })
}

function removeLink(editing: Editing, root: BaseNode, path: readonly string[]): Promise<ChangedNode> {
  return changeAt(editing, root, path, async (node, name) => {
    const links = await runInSlices(linksExcept(node.node, name), new TimeSlice())
    if (links.length === node.node.Links.length) throw new FileNetworkError('no link by that name')
    return store(editing, node, links)
  })
}

async function readChild({ source, create }: Editing, parent: BaseNode, name: string): Promise<BaseNode> {
  const link = parent.node.Links.find((candidate) => (candidate.Name ?? '') === name)
  if (link !== undefined) return readBase(link.Hash, source)
  if (!create) throw new FileNetworkError('no link by that name')
  const node = { Data: encodeUnixfs({ type: unixfsType.directory, blockSizes: [] }), Links: [] }
  const format = { version: 0, hash: await hashFunctionByName('sha2-256') } as const
  return { cid: makeCid(format, codecCode.dagPb, await encodeDagPb(node)), node }
}

async function replaceLink(
  editing: Editing,
  base: BaseNode,
  name: string,
  { cid, size }: { cid: CID; size: number },
): Promise<ChangedNode> {
  const links = await runInSlices(linksExcept(base.node, name), new TimeSlice())
  links.push({ Name: name, Hash: cid, Tsize: size })
  return store(editing, base, links)
}

/**
 * Returns all links except those with a name. As in nodes that Kubo has changed, each has a name and a size even if it
 * had none.
 */
function* linksExcept({ Links }: PBNode, name: string): Steps<PBLink[]> {
  const others: PBLink[] = []
  for (const [index, { Hash, Name = '', Tsize = 0 }] of Links.entries()) {
    if (index % LINKS_AT_ONCE === LINKS_AT_ONCE - 1) yield
    if (Name !== name) others.push({ Hash, Name, Tsize })
  }
  return others
}

/** Stores a node with changed links. */
async function store({ session }: Editing, base: BaseNode, links: PBLink[]): Promise<ChangedNode> {
  const { Data } = base.node
  const bytes = await encodeDagPb({ Links: links, ...(Data !== undefined && { Data }) })
  const cid = await makeCidInSlices(await formatOf(base.cid), codecCode.dagPb, bytes)
  await session.put(cid, bytes)
  const size = links.reduce((sum, link) => sum + sizeOfLink(link), bytes.length)
  return { cid, size, blockLength: bytes.length }
}

/** Returns the total length of all blocks in a DAG according to its root, in bytes. */
async function sizeOfDag(source: BlockSource, cid: CID): Promise<UnixfsEntry['cumulativeSize']> {
  const block = await source.get(cid)
  if (cid.code !== codecCode.dagPb) return block.length
  return (await decodeNode(block)).Links.reduce((sum, link) => sum + sizeOfLink(link), block.length)
}
