import { Badge } from '../parts/badge.js'
import type { Receipt } from './wire.js'

/** Whether a transaction succeeded; it waits to be mined while it has no receipt. */
export function Status({ receipt }: { receipt: Pick<Receipt, 'status'> | undefined }) {
  if (receipt === undefined) return <Badge tone="warn">pending</Badge>
  return receipt.status === '0x0' ? <Badge tone="bad">failed</Badge> : <Badge tone="good">success</Badge>
}
