import { change, get } from '../api/control.js'
import { read } from '../api/rpc.js'
import { currentNetwork } from '../shell/router.js'

/** A compiled contract whose code is deployed at an address. */
export interface KnownContract {
  /** Index in the list of artifacts. */
  id: number
  name: string
}

/** Code, source map and sources of a contract; see `/_standin/contracts/<id>/source`. */
export interface ContractSource {
  code: string
  sourceMap: string
  path: string
  files: { index: number; path: string; text: string }[]
}

const known = new Map<string, Promise<KnownContract | undefined>>()
const sources = new Map<number, Promise<ContractSource | undefined>>()

/** Finds the compiled contract at an address; undefined without code or matching artifact. */
export async function contractAt(address: string): Promise<KnownContract | undefined> {
  const code = await read<string>('eth_getCode', address, 'latest')
  if (code === '0x') return undefined
  const key = `${currentNetwork.value} ${address.toLowerCase()} ${code.length}`
  let found = known.get(key)
  if (found === undefined) {
    found = change<KnownContract | null>('POST', '/contracts/identify', { code }).then(
      (contract) => contract ?? undefined,
      () => undefined,
    )
    known.set(key, found)
  }
  return found
}

/** Reads the source of a compiled contract; undefined if it is not available. */
export function sourceOf({ id }: KnownContract): Promise<ContractSource | undefined> {
  let found = sources.get(id)
  if (found === undefined) {
    found = get<ContractSource>(`/contracts/${id}/source`).catch(() => undefined)
    sources.set(id, found)
  }
  return found
}
