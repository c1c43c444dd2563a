import { useState } from 'preact/hooks'
import { useLive } from '../api/useLive.js'
import type { AbiIndex } from '../decode/abi.js'
import { describeError, loadAbis } from '../decode/abi.js'
import { Badge, Failure, Loading, Panel, Segments } from '../parts/basics.js'
import { formatEther, formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Icon } from '../parts/icon.js'
import { currentNetwork } from '../shell/router.js'
import type { KnownContract } from './contracts.js'
import { contractAt } from './contracts.js'
import { FlameGraph } from './flameGraph.js'
import { FrameDetail } from './frameDetail.js'
import { StateDifference } from './stateDifference.js'
import type { Trace } from './trace.js'
import { failingPath, readCalls } from './trace.js'
import type { CallFrame } from './wire.js'
import { toNumber } from './wire.js'

/** A call in the tree, with what is known of it. */
export interface Call {
  frame: CallFrame
  depth: number
  /** Its name in the tree: contract and function as far as they are known. */
  title: string
  contract: KnownContract | undefined
  calls: Call[]
  /** Whether it and all that it did was undone. */
  isUndone: boolean
}

/** An execution with its calls in order. */
export interface Executed {
  root: Call
  all: Call[]
  /** From the outermost call to the one that failed first. */
  failing: Call[]
  abis: AbiIndex
}

/** What an execution did: its calls as a flame graph and as a tree, flows of value, and changes of the state. */
export function Execution({ trace, id, gasUsed }: { trace: Trace; id: string; gasUsed: number }) {
  const { value, error } = useLive(() => execute(trace), [id, currentNetwork.value])
  const [chosen, setChosen] = useState<Call>()
  const [form, setForm] = useState<'Flame graph' | 'Tree'>('Flame graph')
  if (error !== undefined && value === undefined)
    return <Failure message={`The trace cannot be read: ${error}`} />
  if (value === undefined) return <Loading />
  const { root, all, failing, abis } = value
  const culprit = failing.at(-1)
  const opened = chosen !== undefined && all.includes(chosen) ? chosen : (culprit ?? root)
  return (
    <>
      {culprit !== undefined && (
        <button type="button" class="culprit" onClick={() => setChosen(culprit)}>
          <Icon name="warning" />
          <span>
            <strong>{reasonOf(abis, culprit.frame)}</strong>
            <span class="muted"> in {culprit.title}</span>
          </span>
        </button>
      )}
      <Panel
        title={`Calls (${formatNumber(all.length)})`}
        actions={
          <Segments
            label="View of the calls"
            choices={['Flame graph', 'Tree']}
            value={form}
            onChange={setForm}
          />
        }
      >
        {form === 'Flame graph' ? (
          <FlameGraph root={root} opened={opened} culprit={culprit} onOpen={setChosen} />
        ) : (
          <ul class="call-tree">
            {all.map((call, place) => (
              <li key={place} style={{ paddingLeft: `${Math.min(call.depth, 12) * 18}px` }}>
                <button
                  type="button"
                  class={`call ${call.frame.error === undefined ? '' : 'failed'}`}
                  aria-pressed={call === opened}
                  onClick={() => setChosen(call)}
                >
                  <span class="badge">{call.frame.type}</span>
                  <span class="mono strong">{call.title}</span>
                  <span class="muted">{formatNumber(toNumber(call.frame.gasUsed))} gas</span>
                  {call.frame.error !== undefined && <Badge tone="bad">{call.frame.error}</Badge>}
                </button>
              </li>
            ))}
          </ul>
        )}
        <FrameDetail
          key={all.indexOf(opened)}
          call={opened}
          executed={value}
          trace={trace}
          gasUsed={gasUsed}
        />
      </Panel>
      <ValueFlow all={all} />
      <StateDifference trace={trace} id={id} />
    </>
  )
}

/** Why a call failed: the error that it reverted with, or the virtual machine's words. */
export function reasonOf(abis: AbiIndex, { output = '0x', error = '', revertReason }: CallFrame): string {
  const decoded = abis.decodeError(output)
  if (decoded !== undefined) return describeError(decoded)
  return revertReason ?? (output === '0x' ? error : `${error}: ${output.slice(0, 74)}`)
}

async function execute(trace: Trace): Promise<Executed> {
  const [frame, abis] = await Promise.all([readCalls(trace), loadAbis()])
  const addresses = new Set<string>()
  const collect = ({ to, calls = [] }: CallFrame): void => {
    if (to !== undefined && addresses.size < 50) addresses.add(to)
    calls.forEach(collect)
  }
  collect(frame)
  const contracts = new Map(
    await Promise.all([...addresses].map(async (address) => [address, await contractAt(address)] as const)),
  )
  const all: Call[] = []
  const build = (inner: CallFrame, depth: number, isUndone: boolean): Call => {
    const contract = contracts.get(inner.to ?? '')
    const undone = isUndone || inner.error !== undefined
    const title = titleOf(abis, inner, contract)
    const call: Call = { frame: inner, depth, title, contract, calls: [], isUndone: undone }
    all.push(call)
    call.calls = (inner.calls ?? []).map((called) => build(called, depth + 1, undone))
    return call
  }
  const root = build(frame, 0, false)
  const failing = failingPath(frame).map((inner) => all.find((call) => call.frame === inner)!)
  return { root, all, failing, abis }
}

function titleOf(
  abis: AbiIndex,
  { type, to = '', input }: CallFrame,
  contract: KnownContract | undefined,
): string {
  const place = contract?.name ?? `${to.slice(0, 8)}…`
  if (type.startsWith('CREATE')) return `new ${place}`
  if (input === '0x') return `${place} (transfer)`
  return `${place}.${abis.functionOf(input)?.name ?? input.slice(0, 10)}`
}

/** Ether that calls moved; what was undone is struck out. */
function ValueFlow({ all }: { all: readonly Call[] }) {
  const moved = all.filter(
    ({ frame }) => frame.type !== 'DELEGATECALL' && frame.value !== undefined && BigInt(frame.value) > 0n,
  )
  if (moved.length === 0) return null
  return (
    <Panel title="Value flow">
      <ul class="flow">
        {moved.map(({ frame, isUndone }, place) => (
          <li key={place} class={isUndone ? 'undone' : ''}>
            <Hash value={frame.from} kind="address" />
            <span class="amount">
              {formatEther(BigInt(frame.value ?? '0x0'))}
              <Icon name="arrow" />
            </span>
            {frame.to !== undefined && <Hash value={frame.to} kind="address" />}
            {isUndone && <Badge tone="bad">undone</Badge>}
          </li>
        ))}
      </ul>
    </Panel>
  )
}
