import { get } from '../api/control.js'
import type { NodeDescription } from '../api/node.js'
import { act, read } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { attempt } from '../parts/announcer.js'
import { ActionForm, Field } from '../parts/form.js'
import { parseEther } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Panel } from '../parts/panel.js'
import { currentNetwork, link } from '../shell/router.js'

/** Balances and impersonation. */
export function AccountControls() {
  const { value: accounts = [] } = useLive(
    () => read<string[]>('eth_accounts'),
    [currentNetwork.value],
    ['requests'],
  )
  return (
    <Panel title="Accounts" actions={<a href={link('chain/accounts')}>Unlocked accounts</a>}>
      <datalist id="accounts">
        {accounts.slice(0, 100).map((address) => (
          <option key={address} value={address} />
        ))}
      </datalist>
      <ActionForm
        label="Balance"
        submit="Set balance"
        done="Balance set"
        run={(field) =>
          act('anvil_setBalance', field('address'), `0x${parseEther(field('ether')).toString(16)}`)
        }
      >
        <Address />
        <Field label="ETH" name="ether" placeholder="100" required />
      </ActionForm>
      <ActionForm
        label="Impersonate"
        submit="Impersonate"
        done="Impersonating"
        run={(field) => act('anvil_impersonateAccount', field('address'))}
      >
        <Address />
      </ActionForm>
      <Impersonated />
    </Panel>
  )
}

/** Impersonated accounts, each with a button to stop. */
function Impersonated() {
  const { value: addresses = [] } = useLive(readImpersonated, [currentNetwork.value], ['requests'])
  if (addresses.length === 0) return null
  return (
    <ul class="plain-list" aria-label="Impersonated accounts">
      {addresses.map((address) => (
        <li key={address} class="row spread">
          <Hash value={address} kind="address" />
          <button
            type="button"
            class="button"
            aria-label={`Stop impersonating ${address}`}
            onClick={() =>
              void attempt(() => act('anvil_stopImpersonatingAccount', address), 'Impersonation ended')
            }
          >
            Stop
          </button>
        </li>
      ))}
    </ul>
  )
}

async function readImpersonated(): Promise<string[]> {
  const { networks } = await get<NodeDescription>('/node')
  return networks.find(({ name }) => name === currentNetwork.value)?.impersonated ?? []
}

function Address() {
  return <Field label="Address" name="address" list="accounts" placeholder="0x…" required wide />
}
