import { Badge } from '../parts/badge.js'
import type { Receipt } from './wire.js'

/** Status of a transaction; pending while it has no receipt. */
export function Status({ receipt }: { receipt: Pick<Receipt, 'status'> | undefined }) {
  if (receipt === undefined) return <Badge tone="warn">pending</Badge>
  return receipt.status === '0x0' ? <Badge tone="bad">failed</Badge> : <Badge tone="good">success</Badge>
}
