import { useLive } from '../api/useLive.js'
import { Panel } from '../parts/panel.js'
import { EmptyState, Loaded } from '../parts/state.js'
import type { ContractSource, KnownContract } from './contracts.js'
import { sourceOf } from './contracts.js'
import { SourceLines } from './sourceLines.js'

/** The source files of a compiled contract, starting with its own. */
export function ContractSourceFiles({ contract }: { contract: KnownContract }) {
  const source = useLive(async () => (await sourceOf(contract)) ?? 'unknown', [contract.id])
  return (
    <Loaded from={source}>
      {(value) => (value === 'unknown' ? <UnknownContract /> : <Files source={value} />)}
    </Loaded>
  )
}

function Files({ source: { files, path: own } }: { source: ContractSource }) {
  const ordered = [...files].sort((a, b) => Number(b.path === own) - Number(a.path === own))
  return (
    <>
      {ordered.map(({ path, text }) => (
        <Panel key={path} title={path}>
          <div class="source">
            <SourceLines label={path} first={1} lines={text.split('\n')} />
          </div>
        </Panel>
      ))}
    </>
  )
}

/** Placeholder for a contract without ABI or source. */
export function UnknownContract() {
  return (
    <EmptyState title="No artifact matches this code" script="standin --artifacts ./artifacts">
      <p>
        Start the node with the output directory of hardhat, foundry or solc. Source code and lines need the
        compiler&apos;s build-info files in it.
      </p>
    </EmptyState>
  )
}
