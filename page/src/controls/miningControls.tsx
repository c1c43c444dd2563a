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

/** Mines, and says when blocks are mined. */
export function MiningControls() {
  const mining = useLive(readMining, [currentNetwork.value], ['chain', 'requests'])
  return <Loaded from={mining}>{(value) => <MiningPanel mining={value} />}</Loaded>
}

interface Mining {
  /** Number of the newest block. */
  head: number
  /** Wei a gas that the next block asks for. */
  baseFee: bigint
  isAutomatic: boolean
  /** Seconds between two blocks; null while no clock mines. */
  interval: number | null
  /** Transactions that wait to be mined. */
  waiting: number
}

function MiningPanel({ mining: { head, interval, isAutomatic, waiting, baseFee } }: { mining: Mining }) {
  const mode: Mode = interval !== null ? 'Interval' : isAutomatic ? 'Automine' : 'Manual'
  const choose = (wanted: Mode): Promise<boolean> =>
    attempt(async () => {
      await act('anvil_setIntervalMining', wanted === 'Interval' ? (interval ?? 1) : 0)
      await act('evm_setAutomine', wanted === 'Automine')
    }, `Blocks are mined: ${wanted.toLowerCase()}`)
  return (
    <Panel title="Mining">
      <Facts
        rows={[
          ['Head', <a href={link(`chain/block/${head}`)}>{formatNumber(head)}</a>],
          ['Waiting', count(waiting, 'transaction')],
          ['Next base fee', formatGwei(baseFee)],
        ]}
      />
      <Segments
        label="When blocks are mined"
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
      {waiting > 0 && (
        <div class="actions">
          <button
            type="button"
            class="button danger"
            onClick={() => void attempt(() => act('anvil_dropAllTransactions'), 'No transaction waits')}
          >
            Drop waiting transactions
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
    waiting: Number(status.pending) + Number(status.queued),
  }
}
