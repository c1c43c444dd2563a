import { changeFiles } from '../api/files.js'
import { attempt } from '../parts/announcer.js'
import { Badge } from '../parts/badge.js'
import { Hash } from '../parts/hash.js'
import { Icon } from '../parts/icon.js'

/** Type of a pin, with a link to the root of an indirect one. */
export function PinType({ type }: { type: string }) {
  const root = /^indirect through (\S+)$/.exec(type)?.[1]
  if (root === undefined) return <Badge tone="accent">{type}</Badge>
  return (
    <>
      <Badge tone="accent">indirect</Badge> through <Hash value={root} kind="cid" />
    </>
  )
}

/** Pins a CID recursively, or unpins it. Indirect pins cannot be removed. */
export function PinButton({ cid, pin }: { cid: string; pin: string | undefined }) {
  if (pin !== undefined && pin.startsWith('indirect')) return null
  const isPinned = pin !== undefined
  const toggle = (): Promise<boolean> =>
    isPinned
      ? attempt(() => changeFiles('pin/rm', { arg: cid, recursive: pin === 'recursive' }), 'Unpinned')
      : attempt(() => changeFiles('pin/add', { arg: cid }), 'Pinned')
  return (
    <button type="button" class="button" onClick={() => void toggle()}>
      <Icon name="pin" />
      {isPinned ? 'Unpin' : 'Pin'}
    </button>
  )
}
