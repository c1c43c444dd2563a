import { readFiles } from '../api/files.js'
import { parseCid } from './cid.js'

/** A link of a node, with its name or path in the node. */
export interface DagLink {
  cid: string
  name: string
  /** Cumulative size in bytes, if the codec states it. */
  size: number | undefined
}

/** A node of a DAG. */
export interface DagNode {
  cid: string
  codec: string
  /** UnixFS type such as `directory` or `file`, or the codec. */
  kind: string
  links: DagLink[]
  /** DAG-JSON; undefined for raw bytes. */
  content: unknown
}

/** UnixFS types by number (UnixFS, `DataType`). */
const unixfsKinds = ['raw', 'directory', 'file', 'metadata', 'symlink', 'HAMT directory']

/** Reads one node. */
export async function readNode(cid: string): Promise<DagNode> {
  const { codec } = parseCid(cid) ?? { codec: 'unknown' }
  if (codec === 'raw') return { cid, codec, kind: 'bytes', links: [], content: undefined }
  const content = await readFiles<unknown>('dag/get', { arg: cid })
  if (codec !== 'dag-pb') return { cid, codec, kind: codec, links: findLinks(content), content }
  const { Data, Links = [] } = content as {
    Data?: { '/': { bytes: string } }
    Links?: { Hash: { '/': string }; Name?: string; Tsize?: number }[]
  }
  return {
    cid,
    codec,
    kind: unixfsKind(Data?.['/'].bytes),
    links: Links.map(({ Hash, Name = '', Tsize }) => ({ cid: Hash['/'], name: Name, size: Tsize })),
    content,
  }
}

function unixfsKind(data: string | undefined): string {
  if (data === undefined) return 'dag-pb'
  const bytes = atob(data.slice(0, 4).padEnd(4, '='))
  return bytes.charCodeAt(0) === 8 ? (unixfsKinds[bytes.charCodeAt(1)] ?? 'dag-pb') : 'dag-pb'
}

/** Finds the links in a DAG-JSON value, each with its path. */
function findLinks(value: unknown, path = ''): DagLink[] {
  if (typeof value !== 'object' || value === null) return []
  const { '/': target } = value as { '/'?: unknown }
  if (typeof target === 'string') return [{ cid: target, name: path, size: undefined }]
  if (target !== undefined) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    findLinks(inner, path === '' ? name : `${path}/${name}`),
  )
}

/** The drawn part of a DAG. */
export interface DagPart {
  nodes: DagNode[]
  edges: { from: string; to: string; name: string }[]
  /** Number of omitted links, by node. */
  omitted: Map<string, number>
}

/** Maximum number of nodes, links per node and levels to draw. */
const maxNodes = 60
const maxLinks = 12
const levels = 3

/** Reads the nodes nearest to a root, level by level. */
export async function readPart(root: DagNode): Promise<DagPart> {
  const part: DagPart = { nodes: [root], edges: [], omitted: new Map() }
  const known = new Set([root.cid])
  let level = [root]
  for (let depth = 0; depth < levels && level.length > 0; depth++) {
    const found: string[] = []
    for (const { cid: from, links } of level) {
      let drawn = 0
      for (const { cid: to, name } of links) {
        if (drawn === maxLinks || (!known.has(to) && known.size === maxNodes)) break
        if (!known.has(to)) found.push(to)
        known.add(to)
        part.edges.push({ from, to, name })
        drawn += 1
      }
      if (drawn < links.length) part.omitted.set(from, links.length - drawn)
    }
    // Missing blocks are drawn too.
    level = await Promise.all(
      found.map((cid) =>
        readNode(cid).catch(() => ({ cid, codec: '', kind: 'missing', links: [], content: undefined })),
      ),
    )
    part.nodes.push(...level)
  }
  for (const { cid, links } of level) if (links.length > 0) part.omitted.set(cid, links.length)
  return part
}
