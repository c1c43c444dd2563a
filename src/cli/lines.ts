import type { NodeHooks } from '../node.js'

type Block = Parameters<NonNullable<NodeHooks['block']>>[1]
type FailedRequest = Parameters<NonNullable<NodeHooks['failure']>>[0]

/** The line for a new head; the network is named where there are several. */
export function formatBlockLine(block: Block, network: string | undefined): string {
  const count = block.transactions.length
  const place = network === undefined ? '' : `${network} `
  const transactions = `${count} transaction${count === 1 ? '' : 's'}`
  return `${place}Block ${block.header.number}: ${transactions}, ${block.header.gasUsed} gas`
}

/** The line for a request that failed. */
export function formatFailureLine(request: FailedRequest, showNetwork: boolean): string {
  const { network, transport, method, status, error } = request
  const place = showNetwork ? `${network} ` : ''
  const name = method ?? (transport === 'upgrade' ? 'WebSocket upgrade' : 'request')
  return `${place}${name} failed: ${error === undefined ? status : `${error.message} (${error.code})`}`
}
