import { randomBytes } from 'node:crypto'

/** A new id for a filter or subscription: 16 random bytes without leading zeros (geth: rpc/subscription.go). */
export function randomId(): string {
  return `0x${randomBytes(16)
    .toString('hex')
    .replace(/^0+(?=.)/, '')}`
}
