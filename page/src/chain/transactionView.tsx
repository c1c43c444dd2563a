import { useMemo } from 'preact/hooks'
import { read, readAll } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { loadAbis } from '../decode/abi.js'
import { Decoded } from '../decode/decoded.js'
import type { DecodedGroup } from '../decode/request.js'
import { describeCall, describeLog } from '../decode/request.js'
import { Json } from '../parts/code.js'
import { formatDate, formatEther, formatGwei, formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Facts, Panel } from '../parts/panel.js'
import { Loaded } from '../parts/state.js'
import { currentNetwork, link } from '../shell/router.js'
import type { KnownContract } from './contracts.js'
import { contractAt } from './contracts.js'
import { Execution } from './execution.js'
import { Status } from './status.js'
import { traceTransaction } from './trace.js'
import type { Block, Receipt, Transaction } from './wire.js'
import { toNumber } from './wire.js'

interface Opened {
  transaction: Transaction
  /** Receipt and block are undefined until it is mined. */
  receipt: Receipt | undefined
  block: Block | undefined
  /** Called or created contract, if an artifact matches. */
  contract: KnownContract | undefined
  input: DecodedGroup[]
  logs: DecodedGroup[]
}

/** A transaction with its input, execution and logs. */
export function TransactionView({ hash }: { hash: string }) {
  const opened = useLive(() => open(hash), [hash, currentNetwork.value], ['chain'])
  return (
    <Loaded from={opened}>
      {(value) => (
        <div class="stack">
          <Panel title="Transaction" actions={<Status receipt={value.receipt} />}>
            <TransactionFacts opened={value} />
            {value.input.length > 0 && <Decoded value={value.input} />}
            <details>
              <summary>As JSON</summary>
              <Json
                value={{ transaction: value.transaction, receipt: value.receipt }}
                label="Transaction and receipt"
              />
            </details>
          </Panel>
          {value.receipt !== undefined && <Traced hash={hash} gasUsed={toNumber(value.receipt.gasUsed)} />}
          {value.logs.length > 0 && (
            <Panel title={`Logs (${value.logs.length})`}>
              <Decoded value={value.logs} />
            </Panel>
          )}
        </div>
      )}
    </Loaded>
  )
}

function TransactionFacts({ opened: { transaction, receipt, block, contract } }: { opened: Opened }) {
  const fee = receipt && BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
  const place = (address: string) => (
    <>
      {contract !== undefined && <strong>{contract.name} </strong>}
      <Hash value={address} kind="address" />
    </>
  )
  return (
    <div class="columns">
      <Facts
        rows={[
          ['Hash', <Hash value={transaction.hash} />],
          ['From', <Hash value={transaction.from} kind="address" />],
          transaction.to === null ? undefined : ['To', place(transaction.to)],
          receipt?.contractAddress ? ['New contract', place(receipt.contractAddress)] : undefined,
          ['Value', formatEther(BigInt(transaction.value))],
          ['Nonce', formatNumber(toNumber(transaction.nonce))],
        ]}
      />
      <Facts
        rows={[
          transaction.blockNumber === null
            ? ['Block', 'pending']
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
          receipt === undefined ? undefined : ['Gas price', formatGwei(BigInt(receipt.effectiveGasPrice))],
          fee === undefined ? undefined : ['Fee', formatEther(fee)],
          ['Type', transactionTypes[toNumber(transaction.type)] ?? transaction.type],
        ]}
      />
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

async function open(hash: string): Promise<Opened> {
  const transaction = await read<Transaction | null>('eth_getTransactionByHash', hash)
  if (transaction === null) throw new Error(`Transaction ${hash} not found on this network`)
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
  const place = to ?? mined?.contractAddress
  return {
    transaction,
    receipt: mined,
    block: (block ?? undefined) as Block | undefined,
    contract: place ? await contractAt(place) : undefined,
    input: input === '0x' ? [] : describeCall(abis, { ...(to !== null && { to }), input }).slice(1),
    logs: (mined?.logs ?? []).map((log) => describeLog(abis, log)),
  }
}
