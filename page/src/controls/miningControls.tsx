import { act, read, readAll } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { attempt } from '../parts/announcer.js'
import { Facts, Failure, Loading, Panel, Segments } from '../parts/basics.js'
import { count, formatGwei, formatNumber } from '../parts/format.js'
import { currentNetwork, link } from '../shell/router.js'
import { ControlForm, Field, toQuantity } from './controlForm.js'

type Mode = 'Automine' | 'Interval' | 'Manual'

interface NodeInfo {
  currentBlockNumber: string
  environment: { baseFee: string }
}

/** Mines, and says when blocks are mined. */
export function MiningControls() {
  const { value, error } = useLive(readMining, [currentNetwork.value], ['chain', 'requests'])
  if (value === undefined) return error === undefined ? <Loading /> : <Failure message={error} />
  const { head, interval, isAutomatic, waiting, baseFee } = value
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
        <ControlForm
          key={interval}
          label="Interval"
          submit="Set interval"
          done="Interval set"
          run={(field) => act('anvil_setIntervalMining', Number(field('seconds')))}
        >
          <Field label="Seconds" name="seconds" type="number" min={1} value={interval} required />
        </ControlForm>
      )}
      <ControlForm
        label="Mine"
        submit="Mine"
        done="Mined"
        run={(field) => act('anvil_mine', toQuantity(field('blocks')), toQuantity(field('interval') || '0'))}
      >
        <Field label="Blocks" name="blocks" type="number" min={1} value={1} required />
        <Field label="Seconds apart" name="interval" type="number" min={0} placeholder="1" />
      </ControlForm>
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

async function readMining() {
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
