import { readAll } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { loadAbis } from '../decode/abi.js'
import { Badge } from '../parts/badge.js'
import { formatBytes, formatEther, formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Facts, Panel } from '../parts/panel.js'
import { Loaded } from '../parts/state.js'
import { Subnav } from '../parts/subnav.js'
import { currentNetwork } from '../shell/router.js'
import { AccountHistory } from './accountHistory.js'
import { ContractFunctions } from './contractFunctions.js'
import { contractAt } from './contracts.js'
import { ContractSourceFiles, UnknownContract } from './contractSource.js'
import { ProofPanel } from './proofPanel.js'
import { StoragePanel } from './storagePanel.js'
import { toNumber } from './wire.js'

const tabs = [
  ['overview', 'History'],
  ['functions', 'Functions'],
  ['source', 'Source'],
  ['storage', 'Storage'],
  ['proof', 'Proof'],
] as const

/** An account, with or without code. */
export function AccountView({ address, tab }: { address: string; tab: string }) {
  const account = useLive(() => readAccount(address), [address, currentNetwork.value], ['chain', 'requests'])
  return (
    <Loaded from={account}>
      {({ balance, nonce, codeLength, contract, artifact }) => {
        const isContract = codeLength > 0
        return (
          <div class="stack">
            <Panel
              title={contract?.name ?? (isContract ? 'Contract' : 'Account')}
              actions={isContract ? <Badge tone="accent">contract</Badge> : undefined}
            >
              <Facts
                rows={[
                  ['Address', <Hash value={address} whole />],
                  ['Balance', formatEther(balance)],
                  ['Nonce', formatNumber(nonce)],
                  isContract ? ['Code', formatBytes(codeLength)] : undefined,
                ]}
              />
            </Panel>
            <Subnav
              label="Account sections"
              base={`chain/account/${address}`}
              places={tabs.filter(([name]) => isContract || name === 'overview' || name === 'proof')}
              shown={tab}
            />
            {tab === 'functions' ? (
              artifact === undefined ? (
                <UnknownContract />
              ) : (
                <ContractFunctions address={address} artifact={artifact} />
              )
            ) : tab === 'source' ? (
              contract === undefined ? (
                <UnknownContract />
              ) : (
                <ContractSourceFiles contract={contract} />
              )
            ) : tab === 'storage' ? (
              <StoragePanel address={address} />
            ) : tab === 'proof' ? (
              <ProofPanel address={address} />
            ) : (
              <AccountHistory address={address} />
            )}
          </div>
        )
      }}
    </Loaded>
  )
}

async function readAccount(address: string) {
  const [[balance, nonce, code], contract, abis] = await Promise.all([
    readAll<string>([
      ['eth_getBalance', address, 'latest'],
      ['eth_getTransactionCount', address, 'latest'],
      ['eth_getCode', address, 'latest'],
    ]),
    contractAt(address),
    loadAbis(),
  ])
  if (balance === undefined) throw new Error(`${address} is not an address`)
  return {
    balance: BigInt(balance),
    nonce: toNumber(nonce ?? '0x0'),
    codeLength: ((code?.length ?? 2) - 2) / 2,
    contract,
    artifact: abis.artifacts.find(({ id }) => id === contract?.id),
  }
}
