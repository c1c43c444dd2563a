import { RequestError } from '../api/http.js'
import { readFileLines, readFiles } from '../api/files.js'

/** A pin from `pin/ls`. */
export interface Pin {
  Cid: string
  Type: string
  Name?: string
}

/** Reads the pins. Indirect ones are optional, because there may be one for each block. */
export async function readPins(withIndirect: boolean): Promise<Pin[]> {
  const types = withIndirect ? ['all'] : ['recursive', 'direct']
  const lists = await Promise.all(
    types.map((type) => readFileLines<Pin>('pin/ls', { type, names: true, stream: true })),
  )
  return lists.flat()
}

/** Reads how a CID is pinned: `recursive`, `direct` or `indirect through …`; undefined if it is not. */
export async function readPinType(cid: string): Promise<string | undefined> {
  try {
    const { Keys } = await readFiles<{ Keys: Record<string, { Type: string }> }>('pin/ls', { arg: cid })
    return Object.values(Keys)[0]?.Type
  } catch (error) {
    if (error instanceof RequestError && /is not pinned/.test(error.message)) return undefined
    throw error
  }
}
