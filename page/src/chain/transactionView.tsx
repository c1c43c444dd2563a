import { useMemo } from 'preact/hooks'
import { read, readAll } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { loadAbis } from '../decode/abi.js'
import { Decoded } from '../decode/decoded.js'
import { describeCall, describeLog } from '../decode/request.js'
import { Facts, Failure, Json, Loading, Panel } from '../parts/basics.js'
import { formatDate, formatEther, formatGwei, formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { currentNetwork, link } from '../shell/router.js'
import { Status } from './blockView.js'
import { Execution } from './execution.js'
import { traceTransaction } from './trace.js'
import type { Block, Receipt, Transaction } from './wire.js'
import { toNumber } from './wire.js'

/** One transaction: what it said, what its calls did, and why it failed if it did. */
export function TransactionView({ hash }: { hash: string }) {
  const { value, error } = useLive(() => open(hash), [hash, currentNetwork.value], ['chain'])
  if (error !== undefined && value === undefined) return <Failure message={error} />
  if (value === undefined) return <Loading />
  const { transaction, receipt, block, input, logs } = value
  const fee = receipt && BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
  return (
    <div class="stack">
      <Panel title="Transaction" actions={<Status receipt={receipt} />}>
        <div class="columns">
          <Facts
            rows={[
              ['Hash', <Hash value={transaction.hash} />],
              ['From', <Hash value={transaction.from} kind="address" />],
              transaction.to === null ? undefined : ['To', <Hash value={transaction.to} kind="address" />],
              receipt?.contractAddress
                ? ['New contract', <Hash value={receipt.contractAddress} kind="address" />]
                : undefined,
              ['Value', formatEther(BigInt(transaction.value))],
              ['Nonce', formatNumber(toNumber(transaction.nonce))],
            ]}
          />
          <Facts
            rows={[
              transaction.blockNumber === null
                ? ['Block', 'waits to be mined']
                : [
                    'Block',
                    <a href={link(`chain/block/${transaction.blockHash}`)}>
                      {formatNumber(toNumber(transaction.blockNumber))}
                    </a>,
                  ],
              block === undefined ? undefined : ['Time', formatDate(toNumber(block.timestamp) * 1000)],
              [
                'Gas',
                receipt === undefined
                  ? `at most ${formatNumber(toNumber(transaction.gas))}`
                  : `${formatNumber(toNumber(receipt.gasUsed))} of ${formatNumber(toNumber(transaction.gas))}`,
              ],
              receipt === undefined
                ? undefined
                : ['Gas price', formatGwei(BigInt(receipt.effectiveGasPrice))],
              fee === undefined ? undefined : ['Fee', formatEther(fee)],
              ['Type', transactionTypes[toNumber(transaction.type)] ?? transaction.type],
            ]}
          />
        </div>
        {input.length > 0 && <Decoded value={input} />}
        <details>
          <summary>As JSON</summary>
          <Json value={{ transaction, receipt }} label="Transaction and receipt" />
        </details>
      </Panel>
      {receipt !== undefined && <Traced hash={hash} gasUsed={toNumber(receipt.gasUsed)} />}
      {logs.length > 0 && (
        <Panel title={`Logs (${logs.length})`}>
          <Decoded value={logs} />
        </Panel>
      )}
    </div>
  )
}

const transactionTypes: Readonly<Record<number, string>> = {
  0: 'legacy',
  1: 'access list (EIP-2930)',
  2: 'fee market (EIP-1559)',
  3: 'blobs (EIP-4844)',
  4: 'set code (EIP-7702)',
}

function Traced({ hash, gasUsed }: { hash: string; gasUsed: number }) {
  const trace = useMemo(() => traceTransaction(hash), [hash])
  return <Execution trace={trace} id={hash} gasUsed={gasUsed} />
}

async function open(hash: string) {
  const transaction = await read<Transaction | null>('eth_getTransactionByHash', hash)
  if (transaction === null) throw new Error(`There is no transaction ${hash} on this network`)
  const [[receipt, block], abis] = await Promise.all([
    readAll<unknown>([
      ['eth_getTransactionReceipt', hash],
      ...(transaction.blockHash === null
        ? []
        : [['eth_getBlockByHash', transaction.blockHash, false] as const]),
    ]),
    loadAbis(),
  ])
  const mined = (receipt ?? undefined) as Receipt | undefined
  const { to, input } = transaction
  const described = input === '0x' ? [] : describeCall(abis, { ...(to !== null && { to }), input }).slice(1)
  return {
    transaction,
    receipt: mined,
    block: (block ?? undefined) as Block | undefined,
    input: described,
    logs: (mined?.logs ?? []).map((log) => describeLog(abis, log)),
  }
}
