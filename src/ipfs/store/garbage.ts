import type { CID } from 'multiformats/cid'
import { LargeSet } from '../../encoding/largeMap.js'
import { TimeSlice } from '../../encoding/timeSlice.js'
import { cidKey, codecCode } from '../cid/cidFormat.js'
import { walkCids, walkReadable } from '../dag/links.js'
import { FileNetworkError, isMissingBlock } from '../errors.js'
import type { NetworkContext } from '../networkContext.js'
import { pinsInSearchOrder } from './pins.js'

/** Blocks removed at once. */
const BATCH_SIZE = 512

/**
 * Removes and reports every block that no pin, mutable file or running operation needs, and reclaims the space. Pins
 * and copies wait until it is over; uploads continue, and keep what they stored.
 */
export async function collectGarbage(
  network: NetworkContext,
  tell: (cids: CID[]) => Promise<void>,
): Promise<void> {
  await network.collectionLock.exclusive(async () => {
    const { blockstore, files } = network
    const removal = blockstore.openRemoval()
    try {
      let root = files.root()
      let needed = await neededBlocks(network)
      let batch: CID[] = []

      const removeBatch = async (): Promise<void> => {
        while (!files.root().equals(root)) {
          root = files.root()
          needed = await neededBlocks(network)
        }
        const garbage = batch.filter((cid) => !needed.has(multihashText(cid)))
        batch = []
        await tell(await removal.remove(garbage))
      }
      for await (const cid of blockstore.cids()) {
        if (needed.has(multihashText(cid))) continue
        batch.push(cid)
        if (batch.length >= BATCH_SIZE) await removeBatch()
      }
      await removeBatch()
      await blockstore.compact()
    } finally {
      removal.end()
    }
  })
}

/** Returns the multihash of a CID as a string: blocks are removed by multihash, whatever the CID. */
export function multihashText(cid: CID): string {
  return Buffer.from(cid.multihash.bytes).toString('latin1')
}

/** What pins say about blocks that are to be removed by hand. */
export interface PinCheck {
  /** Why they may not be removed, by {@link cidKey}; the others may. */
  reasons: Map<string, string>
  /**
   * Which of them the search for pins reads, under any CID, by {@link multihashText}: it fails once they are removed.
   */
  read: Set<string>
}

/**
 * Finds the pins of blocks (Kubo, `blockstoreutil`). A block is protected only under the CID that a pin contains, not
 * under one of another version or codec. All pins are walked once, however many blocks are asked for.
 */
export async function checkPins(network: NetworkContext, cids: CID[]): Promise<PinCheck> {
  const wanted = new Set(cids.map(multihashText))
  const open = new Map(cids.map((cid) => [cidKey(cid), cid]))
  const check: PinCheck = { reasons: new Map(), read: new Set() }
  const keep = (cid: CID, reason: () => string): void => {
    const key = cidKey(cid)
    if (open.delete(key)) check.reasons.set(key, reason())
  }
  for (const mode of ['recursive', 'direct'] as const) {
    for await (const pin of network.pins.list(mode)) keep(pin.cid, () => `pinned: ${mode}`)
  }
  if (open.size === 0) return check
  const seen = new LargeSet()
  try {
    for (const pin of await pinsInSearchOrder(network.pins)) {
      for await (const cid of walkCids(network.blockstore, pin.cid, seen)) {
        const text = multihashText(cid)
        if (cid.code !== codecCode.raw && wanted.has(text)) check.read.add(text)
        keep(cid, () => `pinned via ${pin.cid}`)
        if (open.size === 0) return check
      }
    }
  } catch (error) {
    if (!(error instanceof FileNetworkError)) throw error
    for (const cid of [...open.values()]) keep(cid, () => `pin check failed: ${error.message}`)
  }
  return check
}

/**
 * Some links cannot be read, so that nothing may be collected (Kubo, `gc.go`). The message joins all reports.
 */
export class UnreadableLinksError extends FileNetworkError {
  /** A report for each node with unreadable links, and a summary. */
  readonly reports: readonly string[]

  /** @param message - the joined reports */
  constructor(reports: readonly string[], message: string) {
    super(message)
    this.reports = reports
  }
}

/** Reports joined between two yields. */
const REPORTS_AT_ONCE = 512

/** Joins the reports of nodes with unreadable links, of which there may be many thousands. */
async function unreadableLinks(nodes: readonly string[]): Promise<UnreadableLinksError> {
  const slice = new TimeSlice()
  const reports = [...nodes, 'garbage collection aborted: could not retrieve some links']
  const groups: string[] = []
  for (let first = 0; first < reports.length; first += REPORTS_AT_ONCE) {
    groups.push(reports.slice(first, first + REPORTS_AT_ONCE).join('; '))
    const pause = slice.pause()
    if (pause !== undefined) await pause
  }
  return new UnreadableLinksError(reports, groups.join('; '))
}

/**
 * Returns the multihashes of all blocks that pins and the mutable files need. In the mutable files, missing blocks are
 * skipped: a file copied from a CID may refer to blocks that were never stored (Kubo, `gc.go`, "best effort roots").
 *
 * @throws {@link UnreadableLinksError}
 */
async function neededBlocks(network: NetworkContext): Promise<LargeSet> {
  const needed = new LargeSet()
  const seen = new LargeSet()
  const unreadable = new LargeSet()
  const reports: string[] = []
  const report = (cid: CID, error: FileNetworkError): void => {
    const key = cidKey(cid.toV1())
    if (unreadable.has(key)) return
    unreadable.add(key)
    reports.push(`could not retrieve links for ${cid}: ${error.message}`)
  }
  const reportUnlessMissing = (cid: CID, error: FileNetworkError): void => {
    if (!isMissingBlock(error)) report(cid, error)
  }
  const { blockstore, pins, files } = network
  for (const pin of await pinsInSearchOrder(pins)) {
    for await (const cid of walkReadable(blockstore, pin.cid, seen, report)) needed.add(multihashText(cid))
  }
  for await (const cid of walkReadable(blockstore, files.root(), seen, reportUnlessMissing)) {
    needed.add(multihashText(cid))
  }
  for await (const pin of pins.list('direct')) needed.add(multihashText(pin.cid))
  if (reports.length > 0) throw await unreadableLinks(reports)
  return needed
}

/** Returns the number of blocks, and their bytes, that {@link collectGarbage} would remove now. */
export async function measureGarbage(network: NetworkContext): Promise<{ blocks: number; bytes: number }> {
  const needed = await neededBlocks(network)
  let blocks = 0
  let bytes = 0
  for await (const cid of network.blockstore.cids()) {
    const text = multihashText(cid)
    if (needed.has(text)) continue
    // Several CIDs may name the same block.
    needed.add(text)
    blocks += 1
    bytes += network.blockstore.size(cid) ?? 0
  }
  return { blocks, bytes }
}
