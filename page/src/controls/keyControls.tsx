import { change, get } from '../api/control.js'
import { node } from '../api/node.js'
import { useLive } from '../api/useLive.js'
import { Badge, EmptyState, Failure, Loading, Panel } from '../parts/basics.js'
import { formatBytes, formatNumber } from '../parts/format.js'
import { Choice, ControlForm, Field, Tick } from './controlForm.js'

/** A key as `/_standin/keys` shows it: masked, and without its secret. */
interface Key {
  key: string
  hasSecret: boolean
  disabled: boolean
  plan?: string
  limits: { creditsPerDay?: number; creditsPerSecond?: number }
  spent: { creditsToday: number; files: { uploaded?: number; downloaded?: number } }
}

interface Plan {
  creditsPerDay: number
  creditsPerSecond: number
  failover: boolean
}

/** Keys with their plans and what they have spent; and the plans. */
export function KeyControls() {
  const { value, error } = useLive(
    async () => {
      const [keys, plans] = await Promise.all([get<Key[]>('/keys'), get<Record<string, Plan>>('/plans')])
      return { keys, plans }
    },
    [],
    ['controls', 'requests'],
  )
  if (value === undefined) return error === undefined ? <Loading /> : <Failure message={error} />
  const { keys, plans } = value
  return (
    <>
      <Panel title={`Keys (${keys.length})`}>
        {keys.length === 0 ? <NoKeys /> : <KeyTable keys={keys} plans={plans} />}
        {keys.length > 0 && node.value?.mode === 'open' && (
          <p class="muted">
            This node runs in open mode: other keys open it too, and no key is charged. Start it with --mode
            guarded to have quotas count.
          </p>
        )}
        <KeyForm plans={Object.keys(plans)} />
        {keys.length > 0 && (
          <ControlForm
            label="Remove a key"
            submit="Remove key"
            done="The key is removed"
            isDangerous
            clears
            run={(field) => change('DELETE', `/keys/${encodeURIComponent(field('key'))}`)}
          >
            <Field label="Key to remove, in full" name="key" required />
          </ControlForm>
        )}
      </Panel>
      <Plans plans={plans} />
    </>
  )
}

function KeyTable({ keys, plans }: { keys: readonly Key[]; plans: Readonly<Record<string, Plan>> }) {
  return (
    <div class="scroll-x" tabIndex={0} role="group" aria-label="Keys">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">Secret</th>
            <th scope="col">Plan</th>
            <th scope="col">Credits today</th>
            <th scope="col" class="right">
              Uploaded
            </th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key, place) => (
            <tr key={place}>
              <th scope="row" class="mono">
                {key.key}
              </th>
              <td>{key.hasSecret ? 'has one' : 'none'}</td>
              <td>{key.plan ?? <span class="muted">none</span>}</td>
              <td>
                <Spent owner={key} plan={plans[key.plan ?? '']} />
              </td>
              <td class="right">{formatBytes(key.spent.files.uploaded ?? 0)}</td>
              <td>{key.disabled ? <Badge tone="bad">disabled</Badge> : <Badge tone="good">active</Badge>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Spent({ owner, plan }: { owner: Key; plan: Plan | undefined }) {
  const limit = owner.limits.creditsPerDay ?? plan?.creditsPerDay
  const { creditsToday } = owner.spent
  if (limit === undefined) return formatNumber(creditsToday)
  const part = limit === 0 ? 1 : creditsToday / limit
  return (
    <span class="share">
      <meter
        class={part >= 1 ? 'bad' : part >= 0.8 ? 'warn' : 'good'}
        min={0}
        max={1}
        value={Math.min(1, part)}
        aria-label={`Credits of ${owner.key} today`}
      />
      {formatNumber(creditsToday)} of {formatNumber(limit)}
    </span>
  )
}

function KeyForm({ plans }: { plans: readonly string[] }) {
  return (
    <ControlForm
      label="Set a key"
      submit="Set key"
      done="The key is set"
      clears
      run={(field) =>
        change('PUT', `/keys/${encodeURIComponent(field('key'))}`, {
          ...(field('secret') !== '' && { secret: field('secret') }),
          ...(field('plan') !== '' && { plan: field('plan') }),
          ...(field('day') !== '' && { limits: { creditsPerDay: Number(field('day')) } }),
          disabled: field('disabled') === 'on',
        })
      }
    >
      <Field label="Key" name="key" required />
      <Field label="Secret" name="secret" type="password" placeholder="none" />
      <Choice
        label="Plan"
        name="plan"
        choices={[['', 'none'], ...plans.map((name) => [name, name] as const)]}
      />
      <Field label="Daily credits" name="day" type="number" min={0} placeholder="plan default" />
      <Tick label="Disabled" name="disabled" />
    </ControlForm>
  )
}

function NoKeys() {
  return (
    <EmptyState
      title="No key is set"
      script="standin --key 0123456789abcdef0123456789abcdef:SECRET --mode guarded"
    >
      <p>Any key is accepted and nothing is charged. Start the node with keys to accept only those:</p>
    </EmptyState>
  )
}

function Plans({ plans }: { plans: Readonly<Record<string, Plan>> }) {
  return (
    <Panel title="Plans">
      <div class="scroll-x" tabIndex={0} role="group" aria-label="Plans">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Plan</th>
              <th scope="col" class="right">
                Credits a day
              </th>
              <th scope="col" class="right">
                Credits a second
              </th>
              <th scope="col">Failover</th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(plans).map(([name, plan]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="right">{formatNumber(plan.creditsPerDay)}</td>
                <td class="right">{formatNumber(plan.creditsPerSecond)}</td>
                <td>{plan.failover ? 'yes' : 'no'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}
