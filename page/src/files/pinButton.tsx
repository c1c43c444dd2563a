import { changeFiles } from '../api/files.js'
import { attempt } from '../parts/announcer.js'
import { Icon } from '../parts/icon.js'

/** Pins a CID with all below it, or takes its pin away; a pin that follows from another one cannot be taken. */
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
