import { change, get } from '../api/control.js'
import { node } from '../api/node.js'
import { useLive } from '../api/useLive.js'
import { Badge } from '../parts/badge.js'
import { ActionForm, Choice, Field, Checkbox } from '../parts/form.js'
import { formatBytes, formatNumber } from '../parts/format.js'
import { Panel } from '../parts/panel.js'
import type { PlainColumn } from '../parts/plainTable.js'
import { PlainTable } from '../parts/plainTable.js'
import { Share } from '../parts/share.js'
import { EmptyState, Loaded } from '../parts/state.js'

/** A key from `/_standin/keys`: masked and without its secret. */
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

type NamedPlan = readonly [name: string, plan: Plan]

const planColumns: readonly PlainColumn<NamedPlan>[] = [
  { title: 'Plan', isHeader: true, cell: ([name]) => name },
  { title: 'Credits per day', align: 'right', cell: ([, plan]) => formatNumber(plan.creditsPerDay) },
  { title: 'Credits per second', align: 'right', cell: ([, plan]) => formatNumber(plan.creditsPerSecond) },
  { title: 'Failover', cell: ([, plan]) => (plan.failover ? 'yes' : 'no') },
]

/** Keys with their plans and usage, and the plans. */
export function KeyControls() {
  const read = useLive(
    async () => {
      const [keys, plans] = await Promise.all([get<Key[]>('/keys'), get<Record<string, Plan>>('/plans')])
      return { keys, plans }
    },
    [],
    ['controls', 'requests'],
  )
  return (
    <Loaded from={read}>
      {({ keys, plans }) => (
        <>
          <Panel title={`Keys (${keys.length})`}>
            {keys.length === 0 ? <NoKeys /> : <KeyTable keys={keys} plans={plans} />}
            {keys.length > 0 && node.value?.mode === 'open' && (
              <p class="muted">
                This node runs in open mode: it accepts any key and charges none. Start it with --mode guarded
                to enforce quotas.
              </p>
            )}
            <KeyForm plans={Object.keys(plans)} />
            {keys.length > 0 && <RemoveKey />}
          </Panel>
          <Panel title="Plans">
            <PlainTable
              label="Plans"
              columns={planColumns}
              rows={Object.entries(plans)}
              rowKey={([name]) => name}
            />
          </Panel>
        </>
      )}
    </Loaded>
  )
}

function KeyTable({ keys, plans }: { keys: readonly Key[]; plans: Readonly<Record<string, Plan>> }) {
  const columns: readonly PlainColumn<Key>[] = [
    { title: 'Key', isHeader: true, cell: ({ key }) => <span class="mono">{key}</span> },
    { title: 'Secret', cell: ({ hasSecret }) => (hasSecret ? 'set' : 'none') },
    { title: 'Plan', cell: ({ plan }) => plan ?? <span class="muted">none</span> },
    { title: 'Credits today', cell: (key) => <Spent owner={key} plan={plans[key.plan ?? '']} /> },
    { title: 'Uploaded', align: 'right', cell: ({ spent }) => formatBytes(spent.files.uploaded ?? 0) },
    {
      title: 'State',
      cell: ({ disabled }) =>
        disabled ? <Badge tone="bad">disabled</Badge> : <Badge tone="good">active</Badge>,
    },
  ]
  // Masked keys need not be unique.
  return <PlainTable label="Keys" columns={columns} rows={keys} rowKey={(_, place) => place} />
}

function Spent({ owner, plan }: { owner: Key; plan: Plan | undefined }) {
  const limit = owner.limits.creditsPerDay ?? plan?.creditsPerDay
  const { creditsToday } = owner.spent
  if (limit === undefined) return formatNumber(creditsToday)
  return (
    <Share part={limit === 0 ? 1 : creditsToday / limit} label={`Credits of ${owner.key} today`}>
      {formatNumber(creditsToday)} of {formatNumber(limit)}
    </Share>
  )
}

function KeyForm({ plans }: { plans: readonly string[] }) {
  return (
    <ActionForm
      label="Set a key"
      submit="Set key"
      done="Key set"
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
      <Checkbox label="Disabled" name="disabled" />
    </ActionForm>
  )
}

/** Asks for the full key, because the list contains masked keys only. */
function RemoveKey() {
  return (
    <ActionForm
      label="Remove a key"
      submit="Remove key"
      done="Key removed"
      isDangerous
      clears
      run={(field) => change('DELETE', `/keys/${encodeURIComponent(field('key'))}`)}
    >
      <Field label="Key to remove (unmasked)" name="key" required />
    </ActionForm>
  )
}

function NoKeys() {
  return (
    <EmptyState
      title="No keys set"
      script="standin --key 0123456789abcdef0123456789abcdef:SECRET --mode guarded"
    >
      <p>Any key is accepted and nothing is charged. Start the node with keys to accept only those:</p>
    </EmptyState>
  )
}
