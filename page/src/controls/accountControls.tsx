import { act, read } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { Panel } from '../parts/basics.js'
import { parseEther } from '../parts/format.js'
import { link } from '../shell/router.js'
import { currentNetwork } from '../shell/router.js'
import { ControlForm, Field } from './controlForm.js'

/** Balances, and accounts whose transactions need no signature. */
export function AccountControls() {
  const { value: accounts = [] } = useLive(
    () => read<string[]>('eth_accounts'),
    [currentNetwork.value],
    ['requests'],
  )
  return (
    <Panel title="Accounts" actions={<a href={link('chain/accounts')}>Accounts of the node</a>}>
      <datalist id="accounts">
        {accounts.slice(0, 100).map((address) => (
          <option key={address} value={address} />
        ))}
      </datalist>
      <ControlForm
        label="Balance"
        submit="Set balance"
        done="Balance set"
        run={(field) =>
          act('anvil_setBalance', field('address'), `0x${parseEther(field('ether')).toString(16)}`)
        }
      >
        <Address />
        <Field label="ETH" name="ether" placeholder="100" required />
      </ControlForm>
      <ControlForm
        label="Impersonate"
        submit="Impersonate"
        done="Its transactions need no signature now"
        run={(field) => act('anvil_impersonateAccount', field('address'))}
      >
        <Address />
      </ControlForm>
      <ControlForm
        label="Stop impersonating"
        submit="Stop impersonating"
        done="Its transactions need a signature again"
        run={(field) => act('anvil_stopImpersonatingAccount', field('address'))}
      >
        <Address />
      </ControlForm>
    </Panel>
  )
}

function Address() {
  return <Field label="Address" name="address" list="accounts" placeholder="0x…" required wide />
}
