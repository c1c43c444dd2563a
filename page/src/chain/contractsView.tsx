import { useState } from 'preact/hooks'
import { node } from '../api/node.js'
import { read, readAll } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { loadAbis } from '../decode/abi.js'
import { Badge } from '../parts/badge.js'
import { count, formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Panel } from '../parts/panel.js'
import type { PlainColumn } from '../parts/plainTable.js'
import { PlainTable } from '../parts/plainTable.js'
import { EmptyState, Loaded } from '../parts/state.js'
import { currentNetwork, link } from '../shell/router.js'
import { contractAt } from './contracts.js'
import type { Receipt } from './wire.js'
import { toNumber } from './wire.js'
import './contractsView.css'

/** Number of blocks to search for contracts initially. */
const searchDepth = 500

/** Maximum number of contracts and artifacts to list. */
const maxContracts = 200
const maxArtifacts = 300

interface Deployed {
  address: string
  receipt: Receipt
  /** Undefined if no artifact matches its code. */
  name: string | undefined
}

const columns: readonly PlainColumn<Deployed>[] = [
  {
    title: 'Contract',
    isHeader: true,
    cell: ({ address, name }) =>
      name === undefined ? (
        <span class="muted">unknown</span>
      ) : (
        <a href={link(`chain/account/${address}/functions`)}>{name}</a>
      ),
  },
  { title: 'Address', cell: ({ address }) => <Hash value={address} kind="address" /> },
  {
    title: 'Block',
    cell: ({ receipt }) => {
      const number = toNumber(receipt.blockNumber)
      return <a href={link(`chain/block/${number}`)}>{formatNumber(number)}</a>
    },
  },
  {
    title: 'Deployment',
    cell: ({ receipt }) => <Hash value={receipt.transactionHash} kind="transaction" />,
  },
]

/** Recently deployed contracts, and the artifacts. */
export function ContractsView() {
  const [depth, setDepth] = useState(searchDepth)
  const contracts = useLive(() => findContracts(depth), [depth, currentNetwork.value], ['chain'])
  return (
    <Loaded from={contracts}>
      {({ found, blocks, isWhole }) => (
        <div class="stack">
          <Panel
            title={`Deployed in the last ${count(blocks, 'block')}`}
            actions={
              isWhole ? undefined : (
                <button type="button" class="button" onClick={() => setDepth(depth * 4)}>
                  Search further back
                </button>
              )
            }
          >
            {found.length === 0 ? (
              <p class="muted">No contract has been deployed yet.</p>
            ) : (
              <PlainTable
                label="Contracts"
                columns={columns}
                rows={found}
                rowKey={({ address }) => address}
              />
            )}
          </Panel>
          <Artifacts />
        </div>
      )}
    </Loaded>
  )
}

function Artifacts() {
  const { value: artifacts } = useLive(async () => (await loadAbis()).artifacts, [])
  if (node.value?.artifacts === false) {
    return (
      <EmptyState title="No artifacts" script="standin --artifacts ./artifacts">
        <p>
          Start the node with your compiler&apos;s output directory to see the names of functions, events and
          errors.
        </p>
      </EmptyState>
    )
  }
  if (artifacts === undefined) return null
  return (
    <Panel title={`Artifacts (${artifacts.length})`}>
      <ul class="plain-list chips">
        {artifacts.slice(0, maxArtifacts).map(({ id, name, hasSource }) => (
          <li key={id}>
            <Badge tone={hasSource ? 'accent' : 'neutral'}>{name}</Badge>
          </li>
        ))}
        {artifacts.length > maxArtifacts && <li class="muted">and {artifacts.length - maxArtifacts} more</li>}
      </ul>
    </Panel>
  )
}

async function findContracts(depth: number) {
  const head = toNumber(await read<string>('eth_blockNumber'))
  const first = Math.max(0, head - depth + 1)
  const numbers = Array.from({ length: head - first + 1 }, (_, place) => head - place)
  const blocks = await readAll<Receipt[]>(
    numbers.map((number) => ['eth_getBlockReceipts', `0x${number.toString(16)}`]),
  )
  const made = blocks
    .flatMap((receipts) => receipts ?? [])
    .flatMap((receipt) => (receipt.contractAddress === null || receipt.status === '0x0' ? [] : [receipt]))
    .slice(0, maxContracts)
  const found = await Promise.all(
    made.map(async (receipt) => {
      const address = receipt.contractAddress ?? ''
      return { address, receipt, name: (await contractAt(address))?.name }
    }),
  )
  return { found, blocks: numbers.length, isWhole: first === 0 }
}
