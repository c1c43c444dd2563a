import { change, get } from '../api/control.js'
import { node } from '../api/node.js'
import { useLive } from '../api/useLive.js'
import { attempt } from '../parts/announcer.js'
import { Panel } from '../parts/panel.js'
import { Loaded } from '../parts/state.js'
import { Switch } from '../parts/switch.js'

/** Switches that take down the primary backend of a network, so that plans with failover use it. */
export function OutageControls() {
  const outages = useLive(() => get<string[]>('/outages'), [], ['controls'])
  return (
    <Loaded from={outages}>
      {(down) => (
        <Panel title="Outages">
          <p class="muted">
            An outage takes down the primary backend of a network. Requests fail over if the plan allows it.
          </p>
          <ul class="plain-list" aria-label="Outages">
            {(node.value?.networks ?? []).map(({ name }) => (
              <Outage key={name} network={name} isDown={down.includes(name)} />
            ))}
          </ul>
        </Panel>
      )}
    </Loaded>
  )
}

function Outage({ network, isDown }: { network: string; isDown: boolean }) {
  const toggle = (): Promise<boolean> =>
    attempt(
      () => change(isDown ? 'DELETE' : 'PUT', `/outages/${encodeURIComponent(network)}`),
      isDown ? `${network} is up again` : `${network} is down`,
    )
  return (
    <li class="row spread">
      {network}
      <Switch label={`Outage of ${network}`} isOn={isDown} onToggle={() => void toggle()} />
    </li>
  )
}
