import { useState } from 'preact/hooks'
import { useLive } from '../api/useLive.js'
import { Decoded } from '../decode/decoded.js'
import type { DecodedGroup } from '../decode/request.js'
import { groupOf } from '../decode/request.js'
import { formatEther, formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Facts } from '../parts/panel.js'
import type { Call, Executed } from './calls.js'
import { reasonOf } from './calls.js'
import { sourceOf } from './contracts.js'
import type { SourceLocation } from './sourceLocation.js'
import { SourceLines } from './sourceLines.js'
import { locate } from './sourceLocation.js'
import type { Trace } from './trace.js'
import { readSteps, stepsOfFrames } from './trace.js'
import { toNumber } from './wire.js'

/** Above this gas, the steps of a transaction are read on demand only, because they are many. */
const longGas = 5_000_000

/** Number of lines to show before and after a source location. */
const linesAround = 4

/** One call: caller, target, arguments, results, and the source line where it ended. */
export function FrameDetail(props: { call: Call; executed: Executed; trace: Trace; gasUsed: number }) {
  const { call, executed, trace, gasUsed } = props
  const { frame } = call
  return (
    <div class="frame">
      {frame.error !== undefined && call !== executed.culprit && (
        <p class="failure-box">
          <strong>{reasonOf(executed.abis, frame)}</strong>
        </p>
      )}
      {call.contract !== undefined && !frame.type.startsWith('CREATE') && (
        <Source call={call} executed={executed} trace={trace} isLong={gasUsed > longGas} />
      )}
      <div class="columns">
        <Facts
          rows={[
            ['Kind', frame.type],
            ['From', <Hash value={frame.from} kind="address" />],
            frame.to === undefined
              ? undefined
              : [
                  'To',
                  <>
                    {call.contract !== undefined && <strong>{call.contract.name} </strong>}
                    <Hash value={frame.to} kind="address" />
                  </>,
                ],
            frame.value === undefined ? undefined : ['Value', formatEther(BigInt(frame.value))],
            ['Gas', `${formatNumber(toNumber(frame.gasUsed))} of ${formatNumber(toNumber(frame.gas))}`],
          ]}
        />
        <Decoded value={groupsOf(call, executed)} />
      </div>
    </div>
  )
}

function groupsOf({ frame }: Call, { abis }: Executed): DecodedGroup[] {
  const { input, output = '0x', error, type } = frame
  if (type.startsWith('CREATE')) return []
  const called = abis.decodeCall(input)
  const returned = error === undefined ? abis.decodeResult(input, output) : abis.decodeError(output)
  const groups: DecodedGroup[] = []
  if (called !== undefined) groups.push(groupOf(called))
  else if (input !== '0x') groups.push({ title: 'Input', rows: [{ name: 'data', value: input }] })
  if (returned !== undefined) groups.push(groupOf(returned, error === undefined ? 'returns' : 'reverts'))
  else if (output !== '0x') groups.push({ title: 'Output', rows: [{ name: 'data', value: output }] })
  return groups
}

function Source(props: { call: Call; executed: Executed; trace: Trace; isLong: boolean }) {
  const { call, executed, trace, isLong } = props
  const [isWanted, setWanted] = useState(!isLong)
  const { value } = useLive(
    () => (isWanted ? locateCall(call, executed, trace) : Promise.resolve(undefined)),
    [call, isWanted],
  )
  if (!isWanted) {
    return (
      <button type="button" class="button" onClick={() => setWanted(true)}>
        Show the source line
      </button>
    )
  }
  return value === undefined ? null : (
    <SourceText location={value} isFailure={call.frame.error !== undefined} />
  )
}

async function locateCall(call: Call, executed: Executed, trace: Trace): Promise<SourceLocation | undefined> {
  const source = call.contract && (await sourceOf(call.contract))
  if (source === undefined) return undefined
  const steps = stepsOfFrames(executed.root.frame, await readSteps(trace))
  return locate(source, steps.get(call.frame) ?? [])
}

/** Source lines around a location. */
function SourceText({ location, isFailure }: { location: SourceLocation; isFailure: boolean }) {
  const { path, text, line } = location
  // A statement may span a whole function; its first lines identify it.
  const lastLine = Math.min(location.lastLine, line + 6)
  const lines = text.split('\n')
  const first = Math.max(1, line - linesAround)
  const shown = lines.slice(first - 1, lastLine + linesAround)
  return (
    <figure class="source" aria-label={`Source of ${path}`}>
      <figcaption class="mono">
        {path}:{line}
      </figcaption>
      <SourceLines
        label={`${path}, line ${line}`}
        first={first}
        lines={shown}
        mark={(number) =>
          number >= line && number <= lastLine ? (isFailure ? 'failed' : 'reached') : undefined
        }
      />
    </figure>
  )
}
