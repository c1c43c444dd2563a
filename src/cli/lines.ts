import type { NodeHooks } from '../node.js'

type Block = Parameters<NonNullable<NodeHooks['block']>>[1]
type EndedCall = Parameters<NonNullable<NodeHooks['failure']>>[0]

/** The line for a new head; the network is named where there are several. */
export function formatBlockLine(block: Block, network: string | undefined): string {
  const count = block.transactions.length
  const place = network === undefined ? '' : `${network} `
  const transactions = `${count} transaction${count === 1 ? '' : 's'}`
  return `${place}Block ${block.header.number}: ${transactions}, ${block.header.gasUsed} gas`
}

/** The line for a call that ended with an error. */
export function formatFailureLine({ network, method, outcome }: EndedCall, showNetwork: boolean): string {
  const place = showNetwork ? `${network} ` : ''
  return `${place}${method} failed: ${outcome.error?.message} (${outcome.error?.code})`
}
