import { act, read, readAll } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { attempt } from '../parts/announcer.js'
import { ActionForm, Field, toQuantity } from '../parts/form.js'
import { count, formatGwei, formatNumber } from '../parts/format.js'
import { Facts, Panel } from '../parts/panel.js'
import { Segments } from '../parts/segments.js'
import { Loaded } from '../parts/state.js'
import { currentNetwork, link } from '../shell/router.js'

type Mode = 'Automine' | 'Interval' | 'Manual'

interface NodeInfo {
  currentBlockNumber: string
  environment: { baseFee: string }
}

/** Mines blocks and sets the mining mode. */
export function MiningControls() {
  const mining = useLive(readMining, [currentNetwork.value], ['chain', 'requests'])
  return <Loaded from={mining}>{(value) => <MiningPanel mining={value} />}</Loaded>
}

interface Mining {
  /** Number of the newest block. */
  head: number
  /** Base fee of the next block, in wei per gas. */
  baseFee: bigint
  isAutomatic: boolean
  /** Seconds between blocks; null without interval mining. */
  interval: number | null
  /** Number of pending and queued transactions. */
  pendingCount: number
}

function MiningPanel({ mining: { head, interval, isAutomatic, pendingCount, baseFee } }: { mining: Mining }) {
  const mode: Mode = interval !== null ? 'Interval' : isAutomatic ? 'Automine' : 'Manual'
  const choose = (wanted: Mode): Promise<boolean> =>
    attempt(async () => {
      await act('anvil_setIntervalMining', wanted === 'Interval' ? (interval ?? 1) : 0)
      await act('evm_setAutomine', wanted === 'Automine')
    }, `Mining mode: ${wanted.toLowerCase()}`)
  return (
    <Panel title="Mining">
      <Facts
        rows={[
          ['Head', <a href={link(`chain/block/${head}`)}>{formatNumber(head)}</a>],
          ['Pending', count(pendingCount, 'transaction')],
          ['Next base fee', formatGwei(baseFee)],
        ]}
      />
      <Segments
        label="Mining mode"
        choices={['Automine', 'Interval', 'Manual'] as const}
        value={mode}
        onChange={(wanted) => void choose(wanted)}
      />
      {interval !== null && (
        <ActionForm
          key={interval}
          label="Interval"
          submit="Set interval"
          done="Interval set"
          run={(field) => act('anvil_setIntervalMining', Number(field('seconds')))}
        >
          <Field label="Seconds" name="seconds" type="number" min={1} value={interval} required />
        </ActionForm>
      )}
      <ActionForm
        label="Mine"
        submit="Mine"
        done="Mined"
        run={(field) => act('anvil_mine', toQuantity(field('blocks')), toQuantity(field('interval') || '0'))}
      >
        <Field label="Blocks" name="blocks" type="number" min={1} value={1} required />
        <Field label="Seconds apart" name="interval" type="number" min={0} placeholder="1" />
      </ActionForm>
      {pendingCount > 0 && (
        <div class="actions">
          <button
            type="button"
            class="button danger"
            onClick={() =>
              void attempt(() => act('anvil_dropAllTransactions'), 'Pending transactions dropped')
            }
          >
            Drop pending transactions
          </button>
        </div>
      )}
    </Panel>
  )
}

async function readMining(): Promise<Mining> {
  const [info, [isAutomatic, interval], status] = await Promise.all([
    read<NodeInfo>('anvil_nodeInfo'),
    readAll<boolean | number | null>([['anvil_getAutomine'], ['anvil_getIntervalMining']]),
    read<{ pending: string; queued: string }>('txpool_status'),
  ])
  return {
    head: Number(info.currentBlockNumber),
    baseFee: BigInt(info.environment.baseFee),
    isAutomatic: isAutomatic === true,
    interval: typeof interval === 'number' ? interval : null,
    pendingCount: Number(status.pending) + Number(status.queued),
  }
}
