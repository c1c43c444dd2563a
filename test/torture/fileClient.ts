import { expect } from 'vitest'
import type { TorturedNode } from './node.js'
import { uploadBody } from './requests.js'

/** Files of earlier rounds that each check reads again. */
const OLDER_FILES = 20

/** The node refused a file operation. */
class RefusedError extends Error {}

/**
 * A client of the file network that uploads, pins, unpins and edits MFS, one request at a time, and tracks what the
 * node must show after each.
 */
export class FileClient {
  readonly #random: () => number
  readonly #name: string
  /** Contents by CID, and whether they are pinned; undefined while that is being changed. */
  readonly #files = new Map<string, { content: Buffer; isPinned: boolean | undefined }>()
  /** Contents by MFS path; undefined if a change was interrupted. */
  readonly #paths = new Map<string, Buffer | 'absent' | undefined>()
  /** CIDs uploaded, pinned or unpinned since the last check. */
  readonly #touched = new Set<string>()
  #uploads = 0
  readonly acknowledged: Record<string, number> = {}

  constructor(name: string, random: () => number) {
    this.#name = name
    this.#random = random
  }

  /** Runs one random operation. @throws the connection's error at a kill */
  async step(node: TorturedNode): Promise<void> {
    const operations: (readonly [string, () => Promise<boolean>])[] = [
      ['add', () => this.#add(node)],
      ['pin/rm', () => this.#changePin(node, false)],
      ['pin/add', () => this.#changePin(node, true)],
      ['files/write', () => this.#write(node)],
      ['files/rm', () => this.#remove(node)],
    ]
    const [kind, run] = operations[Math.floor(this.#random() * operations.length)]!
    if (await run()) this.acknowledged[kind] = (this.acknowledged[kind] ?? 0) + 1
  }

  /** Compares the node with its acknowledgements since the last check, and with a sample of older ones. */
  async check(node: TorturedNode): Promise<void> {
    const cids = [...this.#files.keys()]
    if (cids.length > 0) {
      for (let i = 0; i < OLDER_FILES; i++) this.#touched.add(cids[Math.floor(this.#random() * cids.length)]!)
    }
    await this.#checkFiles(node, this.#touched)
    this.#touched.clear()
    await this.#checkPaths(node)
  }

  /** Compares the node with all its acknowledgements. */
  async checkAll(node: TorturedNode): Promise<void> {
    await this.#checkFiles(node, this.#files.keys())
    await this.#checkPaths(node)
  }

  async #checkFiles(node: TorturedNode, cids: Iterable<string>): Promise<void> {
    for (const cid of cids) {
      const { content, isPinned } = this.#files.get(cid)!
      // All pins here are recursive; a search among indirect ones would read all pinned DAGs.
      const isListed = await ask(node, `pin/ls?type=recursive&arg=${cid}`).then(
        () => true,
        () => false,
      )
      if (isPinned !== undefined) expect(isListed, `${cid} is pinned`).toBe(isPinned)
      else this.#files.set(cid, { content, isPinned: isListed })
      const found = await ask(node, `cat?arg=${cid}`)
      expect(found.equals(content), `content of ${cid}`).toBe(true)
    }
  }

  async #checkPaths(node: TorturedNode): Promise<void> {
    for (const [path, content] of this.#paths) {
      const found = await ask(node, `files/read?arg=${path}`).catch(() => 'absent' as const)
      if (content === undefined) this.#paths.set(path, found)
      else if (content === 'absent') expect(found, path).toBe('absent')
      else expect(found !== 'absent' && found.equals(content), `content of ${path}`).toBe(true)
    }
  }

  async #add(node: TorturedNode): Promise<boolean> {
    // Every upload is unique: otherwise an interrupted one, or another client's, would pin content that this client has
    // unpinned.
    const content = Buffer.alloc(32 + Math.floor(this.#random() ** 4 * 600_000))
    content.write(`${this.#name} ${this.#uploads++} `)
    for (let i = 32; i < content.length; i += 97) content[i] = Math.floor(this.#random() * 256)
    const answer = await ask(node, 'add?pin=true', uploadBody([[this.#name, content]]))
    const { Hash } = JSON.parse(answer.toString()) as { Hash: string }
    this.#files.set(Hash, { content, isPinned: true })
    this.#touched.add(Hash)
    return true
  }

  async #changePin(node: TorturedNode, isPinned: boolean): Promise<boolean> {
    const candidates = [...this.#files].filter(([, file]) => file.isPinned === !isPinned)
    const [cid, file] = candidates[Math.floor(this.#random() * candidates.length)] ?? []
    if (cid === undefined || file === undefined) return false
    file.isPinned = undefined
    this.#touched.add(cid)
    await ask(node, `pin/${isPinned ? 'add' : 'rm'}?arg=${cid}`)
    file.isPinned = isPinned
    return true
  }

  async #write(node: TorturedNode): Promise<boolean> {
    const path = `/${this.#name}-${Math.floor(this.#random() * 10)}`
    const content = Buffer.from(`${this.#random()}`.repeat(1 + Math.floor(this.#random() * 200)))
    this.#paths.set(path, undefined)
    await ask(node, `files/write?arg=${path}&create=true&truncate=true`, uploadBody([['file', content]]))
    this.#paths.set(path, content)
    return true
  }

  async #remove(node: TorturedNode): Promise<boolean> {
    const present = [...this.#paths].filter(([, content]) => content instanceof Buffer)
    const [path] = present[Math.floor(this.#random() * present.length)] ?? []
    if (path === undefined) return false
    this.#paths.set(path, undefined)
    await ask(node, `files/rm?arg=${path}`)
    this.#paths.set(path, 'absent')
    return true
  }
}

async function ask(node: TorturedNode, path: string, body?: Buffer): Promise<Buffer> {
  const response = await fetch(`${node.ready.ipfsUrl.replace(/\/+$/, '')}/api/v0/${path}`, {
    method: 'POST',
    ...(body !== undefined && {
      headers: { 'content-type': 'multipart/form-data; boundary=torture' },
      body: new Uint8Array(body),
    }),
  })
  const answer = Buffer.from(await response.arrayBuffer())
  if (!response.ok) throw new RefusedError(`${path}: ${response.status} ${answer.toString()}`)
  return answer
}
