import { useState } from 'preact/hooks'
import { node } from '../api/node.js'
import { read, readAll } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { loadAbis } from '../decode/abi.js'
import { Badge, EmptyState, Failure, Loading, Panel } from '../parts/basics.js'
import { count, formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { currentNetwork, link } from '../shell/router.js'
import { contractAt } from './contracts.js'
import type { Receipt } from './wire.js'
import { toNumber } from './wire.js'

/** Blocks that are searched for contracts at once. */
const searched = 500

/** Contracts that transactions made lately, and the artifacts that name them. */
export function ContractsView() {
  const [depth, setDepth] = useState(searched)
  const { value, error } = useLive(() => findContracts(depth), [depth, currentNetwork.value], ['chain'])
  const artifacts = useLive(async () => (await loadAbis()).artifacts, [])
  if (error !== undefined && value === undefined) return <Failure message={error} />
  if (value === undefined) return <Loading />
  return (
    <div class="stack">
      <Panel
        title={`Deployed in the last ${count(value.blocks, 'block')}`}
        actions={
          value.isWhole ? undefined : (
            <button type="button" class="button" onClick={() => setDepth(depth * 4)}>
              Look further back
            </button>
          )
        }
      >
        {value.found.length === 0 ? (
          <p class="muted">No contract has been deployed yet.</p>
        ) : (
          <div class="scroll-x" tabIndex={0} role="group" aria-label="Contracts">
            <table class="plain">
              <thead>
                <tr>
                  <th scope="col">Contract</th>
                  <th scope="col">Address</th>
                  <th scope="col">Block</th>
                  <th scope="col">Creator</th>
                </tr>
              </thead>
              <tbody>
                {value.found.map(({ address, name, receipt }) => (
                  <tr key={address}>
                    <th scope="row">
                      {name === undefined ? (
                        <span class="muted">unknown</span>
                      ) : (
                        <a href={link(`chain/account/${address}/functions`)}>{name}</a>
                      )}
                    </th>
                    <td>
                      <Hash value={address} kind="address" />
                    </td>
                    <td>
                      <a href={link(`chain/block/${toNumber(receipt.blockNumber)}`)}>
                        {formatNumber(toNumber(receipt.blockNumber))}
                      </a>
                    </td>
                    <td>
                      <Hash value={receipt.transactionHash} kind="transaction" />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Panel>
      {node.value?.artifacts === false ? (
        <EmptyState title="No artifacts" script="standin --artifacts ./artifacts">
          <p>
            With the folder of your compiler&apos;s output, functions, events and errors are shown by their
            names.
          </p>
        </EmptyState>
      ) : (
        artifacts.value !== undefined && (
          <Panel title={`Artifacts (${artifacts.value.length})`}>
            <ul class="chips">
              {artifacts.value.slice(0, 300).map(({ id, name, hasSource }) => (
                <li key={id}>
                  <Badge tone={hasSource ? 'accent' : 'neutral'}>{name}</Badge>
                </li>
              ))}
            </ul>
          </Panel>
        )
      )}
    </div>
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
    .slice(0, 200)
  const found = await Promise.all(
    made.map(async (receipt) => {
      const address = receipt.contractAddress ?? ''
      return { address, receipt, name: (await contractAt(address))?.name }
    }),
  )
  return { found, blocks: numbers.length, isWhole: first === 0 }
}
