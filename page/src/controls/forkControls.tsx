import { act } from '../api/rpc.js'
import { loadNode, node } from '../api/node.js'
import { ActionForm, Field, toQuantity } from '../parts/form.js'
import { Panel } from '../parts/panel.js'
import { currentNetwork } from '../shell/router.js'

/** Replaces or removes blocks, resets the chain, or forks another one. */
export function ForkControls() {
  const network = node.value?.networks.find(({ name }) => name === currentNetwork.value)
  const fork = network?.fork
  return (
    <Panel title="Reorganise and reset">
      <ActionForm
        label="Reorganise"
        submit="Reorganise"
        done="Blocks replaced"
        run={(field) => act('anvil_reorg', Number(field('depth')), [])}
      >
        <Field label="Blocks to replace" name="depth" type="number" min={1} value={1} required />
      </ActionForm>
      <ActionForm
        label="Roll back"
        submit="Roll back"
        done="Blocks removed"
        run={(field) => act('anvil_rollback', Number(field('depth')))}
      >
        <Field label="Blocks to remove" name="depth" type="number" min={1} value={1} required />
      </ActionForm>
      <ActionForm
        label="Reset"
        submit="Reset the chain"
        done="Chain reset"
        isDangerous
        run={async (field) => {
          const [url, block] = [field('url'), field('block')]
          const forking = {
            ...(url !== '' && { jsonRpcUrl: url }),
            ...(block !== '' && { blockNumber: Number(toQuantity(block)) }),
          }
          await act('anvil_reset', ...(url === '' && block === '' ? [] : [{ forking }]))
          await loadNode()
        }}
      >
        <Field label="Fork from URL" name="url" placeholder={fork?.url ?? 'none'} wide />
        <Field label="At block" name="block" placeholder={fork?.number ?? 'newest'} />
      </ActionForm>
      <p class="muted">
        A reset removes all blocks of this network. Forking from a URL other than --fork-url requires
        --allow-remote-reset.
      </p>
    </Panel>
  )
}
