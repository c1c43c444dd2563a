import { useState } from 'preact/hooks'
import { change } from '../api/control.js'
import { node } from '../api/node.js'
import type { Fields } from '../parts/form.js'
import { ActionForm, Choice, Field } from '../parts/form.js'
import { Panel } from '../parts/panel.js'
import { actions } from './faults.js'

const transports = [
  ['', 'any'],
  ['http', 'http'],
  ['websocket', 'websocket'],
  ['upgrade', 'upgrade'],
  ['files', 'files'],
] as const

/** Form that sets a fault: its action and the requests it affects. */
export function NewFault() {
  const [type, setType] = useState('status')
  return (
    <Panel title="New fault">
      <ActionForm
        label="New fault"
        submit="Set fault"
        done="Fault set"
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
        <Field label="Method" name="method" placeholder="eth_call, eth_*" />
        <Field label="Operation" name="operation" placeholder="add, pin/*" />
        <Choice label="Transport" name="transport" choices={transports} />
        <Choice
          label="Network"
          name="network"
          choices={[['', 'any'], ...(node.value?.networks ?? []).map(({ name }) => [name, name] as const)]}
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
        <Field label="Name" name="id" placeholder="assigned by the node" />
      </ActionForm>
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
