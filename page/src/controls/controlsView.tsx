import { Subnav } from '../parts/subnav.js'
import { AccountControls } from './accountControls.js'
import { CassettePanel } from './cassettePanel.js'
import { ClockControls } from './clockControls.js'
import { FaultControls } from './faultControls.js'
import { ForkControls } from './forkControls.js'
import { KeyControls } from './keyControls.js'
import { MiningControls } from './miningControls.js'
import { OutageControls } from './outageControls.js'
import { ScenarioControls } from './scenarioControls.js'
import { SnapshotControls } from './snapshotControls.js'
import { TimeControls } from './timeControls.js'

const places = [
  ['chain', 'Chain'],
  ['faults', 'Faults'],
  ['keys', 'Keys and quotas'],
] as const

/** Controls of the node: chains, faults, and keys with quotas. */
export function ControlsView({ path }: { path: readonly string[] }) {
  const [place = 'chain'] = path
  return (
    <>
      <Subnav label="Controls" base="controls" places={places} shown={place} />
      {place === 'faults' ? (
        <div class="stack">
          <ScenarioControls />
          <FaultControls />
          <OutageControls />
        </div>
      ) : place === 'keys' ? (
        <div class="stack">
          <KeyControls />
          <ClockControls />
        </div>
      ) : (
        <div class="columns">
          <CassettePanel />
          <MiningControls />
          <TimeControls />
          <SnapshotControls />
          <AccountControls />
          <ForkControls />
        </div>
      )}
    </>
  )
}
