import { act, read } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { Facts, Failure, Loading, Panel } from '../parts/basics.js'
import { formatDate } from '../parts/format.js'
import { currentNetwork } from '../shell/router.js'
import { Choice, ControlForm, Field, Tick } from './controlForm.js'

const units = [
  ['1', 'seconds'],
  ['60', 'minutes'],
  ['3600', 'hours'],
  ['86400', 'days'],
] as const

/** Moves the clock of the chain. */
export function TimeControls() {
  const { value: head, error } = useLive(
    () => read<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false),
    [currentNetwork.value],
    ['chain', 'requests'],
  )
  if (head === undefined) return error === undefined ? <Loading /> : <Failure message={error} />
  return (
    <Panel title="Time">
      <Facts
        rows={[
          ['Head timestamp', formatDate(Number(head.timestamp) * 1000)],
          ['In seconds', <span class="mono">{Number(head.timestamp)}</span>],
        ]}
      />
      <ControlForm
        label="Move the clock forward"
        submit="Move forward"
        done="The clock was moved"
        run={async (field) => {
          await act('evm_increaseTime', Math.round(Number(field('amount')) * Number(field('unit'))))
          if (field('mine') === 'on') await act('evm_mine')
        }}
      >
        <Field label="Advance by" name="amount" type="number" min={0} step="any" value={1} required />
        <Choice label="Unit" name="unit" choices={units} value="3600" />
        <Tick label="Mine a block" name="mine" ticked />
      </ControlForm>
      <ControlForm
        label="Next block timestamp"
        submit="Set time"
        done="The next block has this time"
        run={async (field) => {
          await act('evm_setNextBlockTimestamp', Math.floor(new Date(field('time')).getTime() / 1000))
          if (field('mine') === 'on') await act('evm_mine')
        }}
      >
        <Field
          label="Next block timestamp"
          name="time"
          type="datetime-local"
          step={1}
          value={localTime(Number(head.timestamp) * 1000 + 60_000)}
          required
        />
        <Tick label="Mine it now" name="mine" ticked />
      </ControlForm>
    </Panel>
  )
}

/** Milliseconds since 1970 in the form of `datetime-local`, in the time zone of the browser. */
function localTime(milliseconds: number): string {
  const offset = new Date(milliseconds).getTimezoneOffset() * 60_000
  return new Date(milliseconds - offset).toISOString().slice(0, 19)
}
