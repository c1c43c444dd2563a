import { readFiles } from '../api/files.js'
import { parseCid } from './cid.js'

/** A link of a node, with the name or the path under which it stands there. */
export interface DagLink {
  cid: string
  name: string
  /** Bytes below it, where the codec says so. */
  size: number | undefined
}

/** A node of a DAG. */
export interface DagNode {
  cid: string
  codec: string
  /** What it is, as `directory` or `file`, as far as its codec says. */
  kind: string
  links: DagLink[]
  /** In the form of DAG-JSON; undefined for raw bytes. */
  content: unknown
}

/** What the first member of UnixFS data says (UnixFS, `DataType`). */
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

/** The links in a value of DAG-JSON, each with its path. */
function findLinks(value: unknown, path = ''): DagLink[] {
  if (typeof value !== 'object' || value === null) return []
  const { '/': target } = value as { '/'?: unknown }
  if (typeof target === 'string') return [{ cid: target, name: path, size: undefined }]
  if (target !== undefined) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    findLinks(inner, path === '' ? name : `${path}/${name}`),
  )
}

/** A part of a DAG that is drawn. */
export interface DagPart {
  nodes: DagNode[]
  edges: { from: string; to: string; name: string }[]
  /** Links of each node that are left out. */
  leftOut: Map<string, number>
}

/** Nodes, links of each node and levels that are drawn. */
const mostNodes = 60
const mostLinks = 12
const levels = 3

/** The nodes nearest to a root, level by level. */
export async function readPart(root: DagNode): Promise<DagPart> {
  const part: DagPart = { nodes: [root], edges: [], leftOut: new Map() }
  const known = new Set([root.cid])
  let level = [root]
  for (let depth = 0; depth < levels && level.length > 0; depth++) {
    const found: string[] = []
    for (const { cid: from, links } of level) {
      let drawn = 0
      for (const { cid: to, name } of links) {
        if (drawn === mostLinks || (!known.has(to) && known.size === mostNodes)) break
        if (!known.has(to)) found.push(to)
        known.add(to)
        part.edges.push({ from, to, name })
        drawn += 1
      }
      if (drawn < links.length) part.leftOut.set(from, links.length - drawn)
    }
    // A block that is not here, as one that was never added, is drawn all the same.
    level = await Promise.all(
      found.map((cid) =>
        readNode(cid).catch(() => ({ cid, codec: '', kind: 'not here', links: [], content: undefined })),
      ),
    )
    part.nodes.push(...level)
  }
  for (const { cid, links } of level) if (links.length > 0) part.leftOut.set(cid, links.length)
  return part
}
