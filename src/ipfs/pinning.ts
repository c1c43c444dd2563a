import type { CID } from 'multiformats/cid'
import { cidKey } from './cid/cidKey.js'
import { walkDag } from './dag/walk.js'
import { errorText, FileNetworkError } from './errors.js'
import type { NetworkContext } from './networkContext.js'

type PinContext = Pick<NetworkContext, 'blockstore' | 'pins' | 'collectionLock'>

/**
 * Pins a DAG. Every block of it must be there.
 *
 * @throws {@link FileNetworkError} with `pin: ` in front of what is wrong
 */
export async function pinDag(
  network: PinContext,
  cid: CID,
  name: string,
): Promise<{ blocks: number; bytes: number }> {
  return network.collectionLock.share(async () => {
    let blocks = 0
    let bytes = 0
    try {
      for await (const block of walkDag(network.blockstore, cid)) {
        blocks++
        bytes += block.bytes.length
      }
    } catch (error) {
      throw prefixed(error)
    }
    await network.pins.set({ cid, mode: 'recursive', name })
    return { blocks, bytes }
  })
}

/**
 * Pins one block, which must be there.
 *
 * @throws {@link FileNetworkError} with `pin: ` in front, also when the CID is already pinned recursively
 */
export async function pinBlock(network: PinContext, cid: CID, name: string): Promise<void> {
  await network.collectionLock.share(async () => {
    await network.blockstore.get(cid).catch((error: unknown) => {
      throw prefixed(error)
    })
    if (network.pins.find(cid)?.mode === 'recursive') {
      throw new FileNetworkError(`pin: ${cid} already pinned recursively`)
    }
    await network.pins.set({ cid, mode: 'direct', name })
  })
}

/**
 * Removes a pin.
 *
 * @throws {@link FileNetworkError} when there is none, or a recursive one that may not be removed so
 */
export async function unpin({ pins }: PinContext, cid: CID, options: { recursive: boolean }): Promise<void> {
  const pin = pins.find(cid)
  if (pin === undefined) throw new FileNetworkError('not pinned or pinned indirectly')
  if (pin.mode === 'recursive' && !options.recursive) {
    throw new FileNetworkError(`${cid} is pinned recursively`)
  }
  await pins.remove(cid)
}

/** The recursive pins that protect blocks, by the blocks' keys. The DAGs are walked in the order of the pins. */
export async function findPinAbove(network: PinContext, cids: CID[]): Promise<Map<string, CID>> {
  const wanted = new Set(cids.map(cidKey))
  const found = new Map<string, CID>()
  const seen = new Set<string>()
  for await (const pin of network.pins.list('recursive')) {
    for await (const { cid } of walkDag(network.blockstore, pin.cid, seen)) {
      const key = cidKey(cid)
      if (wanted.delete(key)) found.set(key, pin.cid)
      if (wanted.size === 0) return found
    }
  }
  return found
}

function prefixed(error: unknown): unknown {
  if (!(error instanceof FileNetworkError)) return error
  return new PinError(error)
}

/** A refusal to pin; its cause is what was wrong. */
export class PinError extends FileNetworkError {
  constructor(cause: FileNetworkError) {
    super(`pin: ${errorText(cause)}`)
    this.cause = cause
  }
}
