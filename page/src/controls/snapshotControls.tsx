import { act, read } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { attempt } from '../parts/announcer.js'
import { formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Panel } from '../parts/panel.js'
import type { PlainColumn } from '../parts/plainTable.js'
import { PlainTable } from '../parts/plainTable.js'
import { Loaded } from '../parts/state.js'
import { currentNetwork } from '../shell/router.js'

interface Metadata {
  /** Number and hash of the head, by snapshot ID. */
  snapshots: Record<string, [number: number, hash: string]>
}

type Snapshot = readonly [id: string, head: Metadata['snapshots'][string]]

const columns: readonly PlainColumn<Snapshot>[] = [
  { title: 'Snapshot', isHeader: true, cell: ([id]) => Number(id) },
  { title: 'Block', cell: ([, [number]]) => formatNumber(number) },
  { title: 'Hash', cell: ([, [, hash]]) => <Hash value={hash} kind="block" /> },
  { title: 'Actions', isTitleHidden: true, align: 'right', cell: ([id]) => <Revert id={id} /> },
]

/** Takes snapshots of the chain and reverts to them. */
export function SnapshotControls() {
  const metadata = useLive(
    () => read<Metadata>('anvil_metadata'),
    [currentNetwork.value],
    ['chain', 'requests'],
  )
  return (
    <Loaded from={metadata}>
      {({ snapshots }) => (
        <Panel
          title="Snapshots"
          actions={
            <button
              type="button"
              class="button"
              onClick={() => void attempt(() => act('evm_snapshot'), 'Snapshot taken')}
            >
              Take a snapshot
            </button>
          }
        >
          {Object.keys(snapshots).length === 0 ? (
            <p class="muted">
              A snapshot keeps the head and its state. Reverting to it deletes that snapshot and all later
              ones.
            </p>
          ) : (
            <PlainTable
              label="Snapshots"
              columns={columns}
              rows={Object.entries(snapshots)}
              rowKey={([id]) => id}
            />
          )}
        </Panel>
      )}
    </Loaded>
  )
}

function Revert({ id }: { id: string }) {
  const name = `snapshot ${Number(id)}`
  return (
    <button
      type="button"
      class="button"
      aria-label={`Revert to ${name}`}
      onClick={() => void attempt(() => act('evm_revert', id), `Reverted to ${name}`)}
    >
      Revert
    </button>
  )
}
