import { createNode, type StandinNode } from '../../src/index.js'

/** Calls a method by position. */
export type Request = (method: string, params?: readonly unknown[]) => Promise<unknown>

/** A remote chain with history to fork from. */
export interface Remote {
  url: string
  request: Request
  /** Address of a contract: slot 0 counts calls, slot 1 is 7 until the first call, and each call logs its number. */
  counter: string
  /** Number of the block with the first transaction. */
  firstBlock: number
  head: number
  accounts: string[]
  stop(): Promise<void>
}

/**
 * Stores SLOAD(0) + 1 in slot 0 and zero in slot 1, and logs the count with topic 1.
 *
 * The constructor stores 7 in slot 1 and 41 in slot 2.
 */
const runtime = '5f546001018060005560006001555f52600160205fa100'
const constructor = `600760015560296002556017601560003960176000f3`

/** Init code that deploys {@link runtime}. */
export const counterCode = deployment()

function deployment(): string {
  const length = runtime.length / 2
  const start = constructor.length / 2
  const sized = constructor.replace(
    '6017601560003960176000f3',
    `60${hexByte(length)}60${hexByte(start)}60003960${hexByte(length)}6000f3`,
  )
  return `0x${sized}${runtime}`
}

function hexByte(value: number): string {
  return value.toString(16).padStart(2, '0')
}

/** Fills a remote with blocks: a contract, calls to it and transfers. */
export async function fill(url: string, request: Request, stop: () => Promise<void>): Promise<Remote> {
  const accounts = (await request('eth_accounts')) as string[]
  const [from, to] = accounts
  const send = async (transaction: Record<string, unknown>) => {
    const hash = await request('eth_sendTransaction', [{ from, ...transaction }])
    for (;;) {
      const receipt = (await request('eth_getTransactionReceipt', [hash])) as Receipt | null
      if (receipt !== null) return receipt
    }
  }
  const deployed = await send({ data: counterCode, gas: '0x100000' })
  await send({ to: deployed.contractAddress, gas: '0x100000' })
  await send({ to, value: '0x64' })
  return {
    url,
    request,
    counter: deployed.contractAddress,
    firstBlock: Number(deployed.blockNumber),
    head: Number(await request('eth_blockNumber')),
    accounts,
    stop,
  }
}

interface Receipt {
  contractAddress: string
  blockNumber: string
  status: string
}

/** Starts another Standin node as the remote. */
export async function ownRemote(): Promise<Remote> {
  const node: StandinNode = await createNode({ port: 0, chainId: 77 })
  return fill(node.url, node.request, node.stop)
}
