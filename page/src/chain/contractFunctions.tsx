import { useState } from 'preact/hooks'
import type { AbiFunction, AbiParameter } from 'viem'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { messageOf } from '../api/http.js'
import { act, read, RpcError } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import type { Artifact } from '../decode/abi.js'
import { describeError, formatValue, loadAbis, signatureOf } from '../decode/abi.js'
import { parseEther } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Panel } from '../parts/panel.js'
import { parseArgument } from './arguments.js'
import './contractFunctions.css'

/** Forms to call the functions of a contract. */
export function ContractFunctions({ address, artifact }: { address: string; artifact: Artifact }) {
  const { value: accounts = [] } = useLive(() => read<string[]>('eth_accounts'), [])
  const [from, setFrom] = useState('')
  const functions = artifact.abi.filter((entry): entry is AbiFunction => entry.type === 'function')
  const reads = functions.filter(isRead)
  const writes = functions.filter((entry) => !isRead(entry))
  return (
    <div class="stack">
      <label class="field narrow">
        Caller
        <select value={from || accounts[0]} onChange={(event) => setFrom(event.currentTarget.value)}>
          {accounts.map((account) => (
            <option key={account} value={account}>
              {account}
            </option>
          ))}
        </select>
      </label>
      <div class="columns">
        <Panel title="Read">
          {reads.map((entry) => (
            <Operation key={signatureOf(entry)} address={address} entry={entry} from={from || accounts[0]} />
          ))}
        </Panel>
        <Panel title="Write">
          {writes.map((entry) => (
            <Operation key={signatureOf(entry)} address={address} entry={entry} from={from || accounts[0]} />
          ))}
        </Panel>
      </div>
    </div>
  )
}

const isRead = ({ stateMutability }: AbiFunction): boolean =>
  stateMutability === 'view' || stateMutability === 'pure'

type Outcome = { text: string; isFailure: boolean } | { transaction: string }

function Operation(props: { address: string; entry: AbiFunction; from: string | undefined }) {
  const { address, entry, from } = props
  const [outcome, setOutcome] = useState<Outcome>()
  const run = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    try {
      const values = entry.inputs.map((input, place) =>
        parseArgument(input, fieldOf(form, `argument-${place}`)),
      )
      setOutcome(await call({ address, entry, from, values, value: fieldOf(form, 'value') }))
    } catch (error) {
      setOutcome({ text: await failureOf(error), isFailure: true })
    }
  }
  return (
    <form class="operation" aria-label={signatureOf(entry)} onSubmit={(event) => void run(event)}>
      <h3 class="mono">{entry.name}</h3>
      {entry.inputs.map((input, place) => (
        <label key={place} class="field">
          {labelOf(input, place)}
          <input name={`argument-${place}`} required={input.type !== 'string'} spellcheck={false} />
        </label>
      ))}
      {entry.stateMutability === 'payable' && (
        <label class="field">
          Value in ETH
          <input name="value" inputMode="decimal" placeholder="0" />
        </label>
      )}
      <button type="submit" class="button">
        {isRead(entry) ? 'Read' : 'Send'}
      </button>
      {outcome !== undefined && (
        <output>
          {'transaction' in outcome ? (
            <>
              Sent <Hash value={outcome.transaction} kind="transaction" />
            </>
          ) : (
            <span class={outcome.isFailure ? 'bad-text break' : 'mono break'}>{outcome.text}</span>
          )}
        </output>
      )}
    </form>
  )
}

async function call(wanted: {
  address: string
  entry: AbiFunction
  from: string | undefined
  values: readonly unknown[]
  value: string
}): Promise<Outcome> {
  const { address, entry, from, values, value } = wanted
  const data = encodeFunctionData({ abi: [entry], functionName: entry.name, args: values })
  if (!isRead(entry)) {
    const wei = value === '' ? 0n : parseEther(value)
    const request = { from, to: address, data, value: `0x${wei.toString(16)}` }
    return { transaction: await act<string>('eth_sendTransaction', request) }
  }
  const output = await act<`0x${string}`>('eth_call', { from, to: address, data }, 'latest')
  const result: unknown = decodeFunctionResult({ abi: [entry], functionName: entry.name, data: output })
  return { text: formatValue(result), isFailure: false }
}

async function failureOf(error: unknown): Promise<string> {
  const message = messageOf(error)
  if (!(error instanceof RpcError) || typeof error.data !== 'string') return message
  const decoded = (await loadAbis()).decodeError(error.data)
  return decoded === undefined ? message : describeError(decoded)
}

function labelOf({ name, type }: AbiParameter, place: number): string {
  return `${name === undefined || name === '' ? `#${place + 1}` : name} (${type})`
}

function fieldOf(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
