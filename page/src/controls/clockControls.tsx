import { change, get } from '../api/control.js'
import { useLive } from '../api/useLive.js'
import { attempt } from '../parts/announcer.js'
import { Badge } from '../parts/badge.js'
import { ActionForm, Field, Checkbox } from '../parts/form.js'
import { Panel } from '../parts/panel.js'
import { Loaded } from '../parts/state.js'

interface Clocks {
  quota: { time: string; frozen: boolean }
}

/** Clock of the quotas; credits are renewed at midnight UTC. */
export function ClockControls() {
  const clocks = useLive(() => get<Clocks>('/clocks'), [], ['controls', 'requests'])
  return <Loaded from={clocks}>{({ quota }) => <QuotaClock {...quota} />}</Loaded>
}

function QuotaClock({ time, frozen }: Clocks['quota']) {
  const nextDay = (): Promise<boolean> =>
    attempt(
      () => change('PUT', '/clocks/quota', { time: midnightAfter(time), frozen }),
      'Quota clock set to the next day',
    )
  return (
    <Panel
      title="Quota clock"
      actions={
        <>
          <button type="button" class="button" onClick={() => void nextDay()}>
            Go to the next day
          </button>
          <button
            type="button"
            class="button"
            onClick={() =>
              void attempt(() => change('DELETE', '/clocks/quota'), 'Quota clock set to system time')
            }
          >
            Use system time
          </button>
        </>
      }
    >
      <p>
        <time class="mono" dateTime={time}>
          {time.slice(0, 19).replace('T', ' ')} UTC
        </time>{' '}
        {frozen && <Badge tone="warn">frozen</Badge>}
      </p>
      <ActionForm
        label="Quota clock"
        submit="Set clock"
        done="Clock set"
        run={(field) =>
          change('PUT', '/clocks/quota', {
            time: Date.parse(`${field('time')}Z`),
            frozen: field('frozen') === 'on',
          })
        }
      >
        <Field
          label="Time (UTC)"
          name="time"
          type="datetime-local"
          step={1}
          value={time.slice(0, 19)}
          required
        />
        <Checkbox label="Freeze the clock" name="frozen" checked={frozen} />
      </ActionForm>
    </Panel>
  )
}

function midnightAfter(time: string): number {
  const day = new Date(time)
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate() + 1)
}
