import { read } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { Badge } from '../parts/badge.js'
import { Field, readFields } from '../parts/form.js'
import { formatEther, formatNumber, shortenWord } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import type { Fact } from '../parts/panel.js'
import { Facts, Panel } from '../parts/panel.js'
import { Loaded } from '../parts/state.js'
import { changeQuery, currentNetwork, route } from '../shell/router.js'
import type { ProvenAccount, ProvenPath } from './proof.js'
import { readAccount, readWord, walkProof } from './proof.js'
import type { Block } from './wire.js'
import { toNumber } from './wire.js'
import './proofPanel.css'

interface Proof {
  accountProof: string[]
  balance: string
  nonce: string
  storageHash: string
  storageProof: { key: string; value: string; proof: string[] }[]
}

/** Proofs of an account and one of its slots: the paths through the tries, with hashes checked in the browser. */
export function ProofPanel({ address }: { address: string }) {
  const slot = route.value.query.get('slot') ?? ''
  const proved = useLive(() => prove(address, slot), [address, slot, currentNetwork.value], ['chain'])
  return (
    <div class="stack">
      <form
        key={slot}
        class="row"
        onSubmit={(event) => {
          event.preventDefault()
          changeQuery({ slot: readFields(event)('slot') })
        }}
      >
        <Field label="Storage slot (number or 32 bytes)" name="slot" value={slot} placeholder="0" wide />
        <button type="submit" class="button">
          Prove
        </button>
      </form>
      <Loaded from={proved}>
        {(value) => (
          <>
            <AccountProof proved={value} />
            {value.storage !== undefined && <SlotProof slot={slot} path={value.storage} />}
          </>
        )}
      </Loaded>
    </div>
  )
}

function AccountProof({ proved: { block, root, account, proven } }: { proved: Proved }) {
  const values: readonly Fact[] =
    proven === undefined
      ? [['Account', 'proven to be absent']]
      : [
          ['Balance', formatEther(proven.balance)],
          ['Nonce', formatNumber(proven.nonce)],
          ['Storage root', <Hash value={proven.storageHash} />],
          ['Code hash', <Hash value={proven.codeHash} />],
        ]
  return (
    <Panel title="Account" actions={<Verdict path={account} />}>
      <Facts rows={[['Block', formatNumber(block)], ['State root', <Hash value={root} />], ...values]} />
      <Path path={account} />
    </Panel>
  )
}

function SlotProof({ slot, path }: { slot: string; path: ProvenPath }) {
  const value = path.value === undefined ? '0, proven to be unset' : `0x${readWord(path.value).toString(16)}`
  return (
    <Panel title={`Slot ${shortenWord(slot)}`} actions={<Verdict path={path} />}>
      <Facts rows={[['Value', value]]} />
      <Path path={path} />
    </Panel>
  )
}

function Verdict({ path }: { path: ProvenPath }) {
  return path.isValid ? <Badge tone="good">all hashes match</Badge> : <Badge tone="bad">{path.problem}</Badge>
}

/** The nodes of a proof, each below its parent. */
function Path({ path }: { path: ProvenPath }) {
  return (
    <ol class="plain-list lines trie">
      {path.nodes.map(({ kind, hash, expected, digits, size }, place) => (
        <li key={place} class={hash === expected || hash === '' ? '' : 'failed'}>
          <Badge>{kind}</Badge>
          <span>
            <span class="muted">nibbles </span>
            <span class="mono strong">{digits === '' ? 'none' : digits}</span>
          </span>
          {hash !== '' && <Hash value={hash} />}
          {hash !== '' && <span class="muted">{formatNumber(size)} bytes</span>}
          {hash !== '' &&
            (hash === expected ? (
              <span class="good-text">hash matches</span>
            ) : (
              <span class="bad-text">hash does not match</span>
            ))}
        </li>
      ))}
    </ol>
  )
}

/** Proofs of an account and a slot at a block. */
interface Proved {
  block: number
  /** State root of the block. */
  root: string
  account: ProvenPath
  /** Undefined if the account is proven to be absent. */
  proven: ProvenAccount | undefined
  /** Undefined if no slot was requested. */
  storage: ProvenPath | undefined
}

async function prove(address: string, slot: string): Promise<Proved> {
  const slots = slot === '' ? [] : [toSlot(slot)]
  const head = await read<Block>('eth_getBlockByNumber', 'latest', false)
  // By hash, the proof covers the block's own state, even if controls have changed the state since.
  const proof = await read<Proof>('eth_getProof', address, slots, { blockHash: head.hash })
  const account = walkProof(head.stateRoot, address, proof.accountProof)
  const proven = account.value === undefined ? undefined : readAccount(account.value)
  const [first] = proof.storageProof
  const storage =
    first === undefined || slots[0] === undefined || proven === undefined
      ? undefined
      : walkProof(proven.storageHash, slots[0], first.proof)
  return { block: toNumber(head.number), root: head.stateRoot, account, proven, storage }
}

/** Parses a slot into 32 bytes. */
function toSlot(text: string): string {
  try {
    return `0x${BigInt(text).toString(16).padStart(64, '0')}`
  } catch {
    throw new Error('expected a slot as a number or 0x-prefixed hexadecimal')
  }
}
