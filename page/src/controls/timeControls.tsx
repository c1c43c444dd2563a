import { act, read } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { ActionForm, Choice, Field, Checkbox } from '../parts/form.js'
import { formatDate } from '../parts/format.js'
import { Facts, Panel } from '../parts/panel.js'
import { Loaded } from '../parts/state.js'
import { currentNetwork } from '../shell/router.js'

const units = [
  ['1', 'seconds'],
  ['60', 'minutes'],
  ['3600', 'hours'],
  ['86400', 'days'],
] as const

/** Moves the chain's clock. */
export function TimeControls() {
  const head = useLive(
    () => read<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false),
    [currentNetwork.value],
    ['chain', 'requests'],
  )
  return <Loaded from={head}>{({ timestamp }) => <TimePanel seconds={Number(timestamp)} />}</Loaded>
}

/** Clock controls; `seconds` is the head's timestamp. */
function TimePanel({ seconds }: { seconds: number }) {
  return (
    <Panel title="Time">
      <Facts
        rows={[
          ['Head timestamp', formatDate(seconds * 1000)],
          ['In seconds', <span class="mono">{seconds}</span>],
        ]}
      />
      <ActionForm
        label="Move the clock forward"
        submit="Move forward"
        done="Clock moved"
        run={async (field) => {
          await act('evm_increaseTime', Math.round(Number(field('amount')) * Number(field('unit'))))
          if (field('mine') === 'on') await act('evm_mine')
        }}
      >
        <Field label="Advance by" name="amount" type="number" min={0} step="any" value={1} required />
        <Choice label="Unit" name="unit" choices={units} value="3600" />
        <Checkbox label="Mine a block" name="mine" checked />
      </ActionForm>
      <ActionForm
        label="Next block timestamp"
        submit="Set time"
        done="Next block timestamp set"
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
          value={localTime(seconds * 1000 + 60_000)}
          required
        />
        <Checkbox label="Mine it now" name="mine" checked />
      </ActionForm>
    </Panel>
  )
}

/** Formats milliseconds since 1970 for a `datetime-local` input, in the browser's time zone. */
function localTime(milliseconds: number): string {
  const offset = new Date(milliseconds).getTimezoneOffset() * 60_000
  return new Date(milliseconds - offset).toISOString().slice(0, 19)
}
