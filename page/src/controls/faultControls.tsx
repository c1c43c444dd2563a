import { useState } from 'preact/hooks'
import { change } from '../api/control.js'
import { node } from '../api/node.js'
import { useLive } from '../api/useLive.js'
import { attempt } from '../parts/announcer.js'
import { Badge, EmptyState, Failure, Loading, Panel } from '../parts/basics.js'
import { formatNumber } from '../parts/format.js'
import { Icon } from '../parts/icon.js'
import { currentNetwork } from '../shell/router.js'
import type { Fields } from './controlForm.js'
import { Choice, ControlForm, Field } from './controlForm.js'
import type { Fault } from './faults.js'
import { actions, describeMembers, readFaults } from './faults.js'

/** The faults that are set, with how often each met a request; and a new one. */
export function FaultControls() {
  const { value, error } = useLive(readFaults, [], ['faultHits', 'controls', 'requests'])
  if (value === undefined) return error === undefined ? <Loading /> : <Failure message={error} />
  return (
    <>
      <Panel
        title={`Faults (${value.length})`}
        actions={
          value.length > 0 && (
            <button
              type="button"
              class="button danger"
              onClick={() => void attempt(() => change('DELETE', '/faults'), 'No fault is set')}
            >
              Remove all
            </button>
          )
        }
      >
        {value.length === 0 ? <NoFaults /> : <FaultTable faults={value} />}
      </Panel>
      <NewFault />
    </>
  )
}

function FaultTable({ faults }: { faults: readonly Fault[] }) {
  return (
    <div class="scroll-x" tabIndex={0} role="group" aria-label="Faults">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Fault</th>
            <th scope="col">Matches</th>
            <th scope="col">Action</th>
            <th scope="col" class="right">
              Seen
            </th>
            <th scope="col" class="right">
              Hits
            </th>
            <th scope="col">
              <span class="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {faults.map(({ id, match, action, seen, hits }) => (
            <tr key={id}>
              <th scope="row" class="mono">
                {id}
              </th>
              <td class="break">{describeMembers(match) || 'every request'}</td>
              <td class="break">
                <strong>{action.type}</strong> {describeMembers(action)}
              </td>
              <td class="right">{formatNumber(seen)}</td>
              <td class="right">
                <Badge tone={hits > 0 ? 'warn' : 'neutral'}>{formatNumber(hits)}</Badge>
              </td>
              <td class="right">
                <button
                  type="button"
                  class="icon-button"
                  aria-label={`Remove fault ${id}`}
                  onClick={() =>
                    void attempt(
                      () => change('DELETE', `/faults/${encodeURIComponent(id)}`),
                      `Fault ${id} is removed`,
                    )
                  }
                >
                  <Icon name="trash" />
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function NoFaults() {
  const url = node.value?.urls.controlUrl ?? ''
  return (
    <EmptyState
      title="No fault is set"
      script={`curl -s ${url}/faults -d '{"match":{"method":"eth_getLogs"},"action":{"type":"delay","milliseconds":2000}}'`}
    >
      <p>Switch on a scenario, add a fault below, or set one from a test:</p>
    </EmptyState>
  )
}

const transports = [
  ['', 'any'],
  ['http', 'http'],
  ['websocket', 'websocket'],
  ['upgrade', 'upgrade'],
  ['files', 'files'],
] as const

function NewFault() {
  const [type, setType] = useState('status')
  return (
    <Panel title="New fault">
      <ControlForm
        label="New fault"
        submit="Set fault"
        done="The fault is set"
        run={(field) =>
          change('POST', '/faults', {
            ...(field('id') !== '' && { id: field('id') }),
            match: matchOf(field),
            action: actionOf(type, field),
          })
        }
      >
        <Choice
          label="Action"
          name="type"
          value={type}
          onChange={setType}
          choices={Object.keys(actions).map((name) => [name, name] as const)}
        />
        {(actions[type] ?? []).map(({ name, label, type: kind, value }) =>
          kind === 'span' ? (
            <Choice
              key={`${type}-${name}`}
              label={label}
              name={`action-${name}`}
              choices={[
                ['day', 'day'],
                ['second', 'second'],
              ]}
            />
          ) : (
            <Field
              key={`${type}-${name}`}
              label={label}
              name={`action-${name}`}
              type={kind}
              {...(value !== undefined && { value })}
              required={kind === 'number'}
            />
          ),
        )}
        <Field label="Method" name="method" placeholder="eth_* for several" />
        <Field label="Operation" name="operation" placeholder="add, pin/*" />
        <Choice label="Transport" name="transport" choices={transports} />
        <Choice
          label="Network"
          name="network"
          choices={[
            ['', 'any'],
            [currentNetwork.value, currentNetwork.value],
          ]}
        />
        <Field label="Key" name="key" placeholder="any" />
        <Field label="Every nth" name="every" type="number" min={1} placeholder="1" />
        <Field
          label="Probability"
          name="probability"
          type="number"
          min={0}
          max={1}
          step="any"
          placeholder="1"
        />
        <Field label="Name" name="id" placeholder="given by the node" />
      </ControlForm>
    </Panel>
  )
}

function matchOf(field: Fields): Record<string, unknown> {
  const match: Record<string, unknown> = {}
  for (const name of ['method', 'operation', 'transport', 'network', 'key']) {
    if (field(name) !== '') match[name] = field(name)
  }
  for (const name of ['every', 'probability']) {
    if (field(name) !== '') match[name] = Number(field(name))
  }
  return match
}

function actionOf(type: string, field: Fields): Record<string, unknown> {
  const members = (actions[type] ?? []).map(({ name, type: kind }) => {
    const text = field(`action-${name}`)
    return [name, kind === 'number' ? Number(text) : text] as const
  })
  return { type, ...Object.fromEntries(members) }
}
