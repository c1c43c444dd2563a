import { read, readAll } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { loadAbis } from '../decode/abi.js'
import { Badge, EmptyState, Facts, Failure, Loading, Panel } from '../parts/basics.js'
import { count, formatBytes, formatDate, formatEther, formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { currentNetwork, link } from '../shell/router.js'
import { Status } from './blockView.js'
import { contractAt, sourceOf } from './contracts.js'
import { ContractFunctions } from './contractFunctions.js'
import { ProofPanel } from './proofPanel.js'
import { StoragePanel } from './storagePanel.js'
import type { Receipt, Transaction } from './wire.js'
import { toNumber } from './wire.js'

const tabs = [
  ['overview', 'History'],
  ['functions', 'Functions'],
  ['source', 'Source'],
  ['storage', 'Storage'],
  ['proof', 'Proof'],
] as const

/** One account, with or without code. */
export function AccountView({ address, tab }: { address: string; tab: string }) {
  const { value, error } = useLive(
    () => open(address),
    [address, currentNetwork.value],
    ['chain', 'requests'],
  )
  if (error !== undefined && value === undefined) return <Failure message={error} />
  if (value === undefined) return <Loading />
  const isContract = value.codeLength > 0
  const shown = tabs.filter(([name]) => isContract || name === 'overview' || name === 'proof')
  return (
    <div class="stack">
      <Panel
        title={value.contract?.name ?? (isContract ? 'Contract' : 'Account')}
        actions={isContract ? <Badge tone="accent">contract</Badge> : undefined}
      >
        <Facts
          rows={[
            ['Address', <Hash value={address} whole />],
            ['Balance', formatEther(value.balance)],
            ['Nonce', formatNumber(value.nonce)],
            isContract ? ['Code', formatBytes(value.codeLength)] : undefined,
          ]}
        />
      </Panel>
      <div class="subnav" role="group" aria-label="Account sections">
        {shown.map(([name, title]) => (
          <a
            key={name}
            href={link(`chain/account/${address}/${name}`)}
            aria-current={tab === name ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </div>
      {tab === 'functions' ? (
        value.artifact === undefined ? (
          <UnknownContract />
        ) : (
          <ContractFunctions address={address} artifact={value.artifact} />
        )
      ) : tab === 'source' ? (
        value.contract === undefined ? (
          <UnknownContract />
        ) : (
          <Sources id={value.contract.id} name={value.contract.name} />
        )
      ) : tab === 'storage' ? (
        <StoragePanel address={address} />
      ) : tab === 'proof' ? (
        <ProofPanel address={address} />
      ) : (
        <History address={address} />
      )}
    </div>
  )
}

async function open(address: string) {
  const [[balance, nonce, code], contract, abis] = await Promise.all([
    readAll<string>([
      ['eth_getBalance', address, 'latest'],
      ['eth_getTransactionCount', address, 'latest'],
      ['eth_getCode', address, 'latest'],
    ]),
    contractAt(address),
    loadAbis(),
  ])
  if (balance === undefined) throw new Error(`${address} is no address`)
  return {
    balance: BigInt(balance),
    nonce: toNumber(nonce ?? '0x0'),
    codeLength: ((code?.length ?? 2) - 2) / 2,
    contract,
    artifact: abis.artifacts.find(({ id }) => id === contract?.id),
  }
}

function UnknownContract() {
  return (
    <EmptyState title="No artifact has this code" script="standin --artifacts ./artifacts">
      <p>
        Start the node with the folder that your compiler writes to, of hardhat, foundry or solc. Sources and
        lines need the compiler&apos;s build-info files in it.
      </p>
    </EmptyState>
  )
}

function Sources({ id, name }: { id: number; name: string }) {
  const { value, error } = useLive(async () => (await sourceOf({ id, name })) ?? null, [id])
  if (error !== undefined) return <Failure message={error} />
  if (value === undefined) return <Loading />
  if (value === null) return <UnknownContract />
  const ordered = [...value.files].sort(
    (a, b) => Number(b.path === value.path) - Number(a.path === value.path),
  )
  return (
    <>
      {ordered.map(({ path, text }) => (
        <Panel key={path} title={path}>
          <div class="source">
            <div class="scroll-x" tabIndex={0} role="group" aria-label={path}>
              <ol>
                {text.split('\n').map((line, place) => (
                  <li key={place}>
                    <span class="number">{place + 1}</span>
                    <code>{line}</code>
                  </li>
                ))}
              </ol>
            </div>
          </div>
        </Panel>
      ))}
    </>
  )
}

interface Found {
  txs: Transaction[]
  receipts: (Receipt & { timestamp?: number | string })[]
}

function History({ address }: { address: string }) {
  const { value, error } = useLive(
    () => read<Found>('ots_searchTransactionsBefore', address, 0, 50),
    [address, currentNetwork.value],
    ['chain'],
  )
  if (error !== undefined && value === undefined) return <Failure message={error} />
  if (value === undefined) return <Loading />
  if (value.txs.length === 0) {
    return (
      <EmptyState title="No transactions yet">
        <p>Transactions that involve this account appear here.</p>
      </EmptyState>
    )
  }
  return (
    <Panel title={count(value.txs.length, 'newest transaction')}>
      <div class="scroll-x" tabIndex={0} role="group" aria-label="History">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Transaction</th>
              <th scope="col">Block</th>
              <th scope="col">Time</th>
              <th scope="col">From</th>
              <th scope="col" class="right">
                Value
              </th>
              <th scope="col">Status</th>
            </tr>
          </thead>
          <tbody>
            {value.txs.map((transaction, place) => {
              const receipt = value.receipts[place]
              return (
                <tr key={transaction.hash}>
                  <td>
                    <Hash value={transaction.hash} kind="transaction" />
                  </td>
                  <td>
                    <a href={link(`chain/block/${toNumber(transaction.blockNumber ?? '0x0')}`)}>
                      {formatNumber(toNumber(transaction.blockNumber ?? '0x0'))}
                    </a>
                  </td>
                  <td>
                    {receipt?.timestamp === undefined ? '' : formatDate(Number(receipt.timestamp) * 1000)}
                  </td>
                  <td>
                    <Hash value={transaction.from} kind="address" />
                  </td>
                  <td class="right">{formatEther(BigInt(transaction.value))}</td>
                  <td>
                    <Status receipt={receipt} />
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}
