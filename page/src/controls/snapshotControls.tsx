import { act, read } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { attempt } from '../parts/announcer.js'
import { Failure, Loading, Panel } from '../parts/basics.js'
import { formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { currentNetwork } from '../shell/router.js'

interface Metadata {
  /** Number and hash of the head by id of each snapshot. */
  snapshots: Record<string, [number: number, hash: string]>
}

/** Snapshots of the chain, to be taken and gone back to. */
export function SnapshotControls() {
  const { value, error } = useLive(
    () => read<Metadata>('anvil_metadata'),
    [currentNetwork.value],
    ['chain', 'requests'],
  )
  if (value === undefined) return error === undefined ? <Loading /> : <Failure message={error} />
  const snapshots = Object.entries(value.snapshots)
  const revert = (id: string): Promise<boolean> =>
    attempt(() => act('evm_revert', id), `Reverted to snapshot ${Number(id)}`)
  return (
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
      {snapshots.length === 0 ? (
        <p class="muted">
          A snapshot keeps the head and its state. Reverting to it uses up that snapshot and all later ones.
        </p>
      ) : (
        <div class="scroll-x" tabIndex={0} role="group" aria-label="Snapshots">
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Snapshot</th>
                <th scope="col">Block</th>
                <th scope="col">Hash</th>
                <th scope="col">
                  <span class="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {snapshots.map(([id, [number, hash]]) => (
                <tr key={id}>
                  <th scope="row">{Number(id)}</th>
                  <td>{formatNumber(number)}</td>
                  <td>
                    <Hash value={hash} kind="block" />
                  </td>
                  <td class="right">
                    <button
                      type="button"
                      class="button"
                      aria-label={`Revert to snapshot ${Number(id)}`}
                      onClick={() => void revert(id)}
                    >
                      Revert
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}
