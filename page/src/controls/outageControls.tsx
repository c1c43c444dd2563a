import { change, get } from '../api/control.js'
import { node } from '../api/node.js'
import { useLive } from '../api/useLive.js'
import { attempt } from '../parts/announcer.js'
import { Failure, Loading, Panel } from '../parts/basics.js'

/** Networks whose primary backend can be declared down, so that failover is used where the plan has it. */
export function OutageControls() {
  const { value: down, error } = useLive(() => get<string[]>('/outages'), [], ['controls'])
  if (down === undefined) return error === undefined ? <Loading /> : <Failure message={error} />
  return (
    <Panel title="Outages">
      <p class="muted">
        The primary backend of a network is down; requests fail over where the plan allows it.
      </p>
      <ul class="plain-list" aria-label="Outages">
        {(node.value?.networks ?? []).map(({ name }) => (
          <Outage key={name} network={name} isDown={down.includes(name)} />
        ))}
      </ul>
    </Panel>
  )
}

function Outage({ network, isDown }: { network: string; isDown: boolean }) {
  const toggle = (): Promise<boolean> =>
    attempt(
      () => change(isDown ? 'DELETE' : 'PUT', `/outages/${encodeURIComponent(network)}`),
      isDown ? `${network} is up again` : `${network} is down`,
    )
  return (
    <li class="row">
      <span class="grow">{network}</span>
      <button
        type="button"
        class="switch"
        role="switch"
        aria-checked={isDown}
        aria-label={`Outage of ${network}`}
        onClick={() => void toggle()}
      >
        <span aria-hidden="true">{isDown ? 'On' : 'Off'}</span>
      </button>
    </li>
  )
}
