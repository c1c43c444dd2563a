import type { ForkSchedule } from '../../chain/evm/forkSchedule.js'
import type { GenesisAccount } from '../../chain/genesis/ownGenesis.js'
import { gethGenesisPieces } from '../../chain/genesis/formatGenesis.js'
import type { ChainView } from '../../chain/view.js'
import { textChunks } from '../../encoding/timeSlice.js'

/** What a genesis is made of. */
export interface GenesisSource {
  view: Pick<ChainView, 'chainId' | 'head'>
  schedule: ForkSchedule
  accounts: readonly GenesisAccount[]
}

/**
 * The text of a geth genesis.json that begins with the state that `latest` has: its accounts, the forks and the chain
 * id of this chain, time, gas limit and base fee of the head. The blocks before are not in it. It comes in chunks, with
 * turns for other work between them; the chain has to stay as it is meanwhile.
 */
export function writeGenesis({ view, schedule, accounts }: GenesisSource): AsyncGenerator<string> {
  const { header } = view.head()
  const first = { ...header, number: 0n, parentHash: new Uint8Array(32), gasUsed: 0n }
  return textChunks(
    gethGenesisPieces({ chainId: view.chainId, schedule, genesis: { header: first, accounts } }),
  )
}
