import { useState } from 'preact/hooks'
import { read } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { Badge, Facts, Failure, Loading, Panel } from '../parts/basics.js'
import { formatEther, formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { changeQuery, currentNetwork, route } from '../shell/router.js'
import type { ProvenPath } from './proof.js'
import { readAccount, readWord, walkProof } from './proof.js'
import type { Block } from './wire.js'
import { toNumber } from './wire.js'

interface Proof {
  accountProof: string[]
  balance: string
  nonce: string
  storageHash: string
  storageProof: { key: string; value: string; proof: string[] }[]
}

/** The proof of an account, and of one of its slots: the way through the trie, with hashes checked here. */
export function ProofPanel({ address }: { address: string }) {
  const slot = route.value.query.get('slot') ?? ''
  const [typed, setTyped] = useState(slot)
  const { value, error } = useLive(
    () => prove(address, slot),
    [address, slot, currentNetwork.value],
    ['chain'],
  )
  return (
    <div class="stack">
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault()
          changeQuery({ slot: typed.trim() })
        }}
      >
        <label class="field grow">
          Storage slot, as a number or 32 bytes
          <input
            value={typed}
            placeholder="0"
            spellcheck={false}
            onInput={(event) => setTyped(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="button">
          Prove
        </button>
      </form>
      {error !== undefined && <Failure message={error} />}
      {value === undefined ? (
        error === undefined && <Loading />
      ) : (
        <>
          <Panel title="Account" actions={<Verdict path={value.account} />}>
            <Facts
              rows={[
                ['Block', formatNumber(value.block)],
                ['State root', <Hash value={value.root} />],
                value.proven === undefined
                  ? ['Account', 'proven to be absent']
                  : ['Balance', formatEther(value.proven.balance)],
                value.proven === undefined ? undefined : ['Nonce', formatNumber(value.proven.nonce)],
                value.proven === undefined
                  ? undefined
                  : ['Storage root', <Hash value={value.proven.storageHash} />],
                value.proven === undefined
                  ? undefined
                  : ['Code hash', <Hash value={value.proven.codeHash} />],
              ]}
            />
            <Path path={value.account} />
          </Panel>
          {value.storage !== undefined && (
            <Panel title={`Slot ${slot}`} actions={<Verdict path={value.storage} />}>
              <Facts
                rows={[
                  [
                    'Value',
                    value.storage.value === undefined
                      ? '0, proven to be unset'
                      : `0x${readWord(value.storage.value).toString(16)}`,
                  ],
                ]}
              />
              <Path path={value.storage} />
            </Panel>
          )}
        </>
      )}
    </div>
  )
}

function Verdict({ path }: { path: ProvenPath }) {
  return path.isValid ? <Badge tone="good">all hashes match</Badge> : <Badge tone="bad">{path.problem}</Badge>
}

/** Each node of a proof under its parent. */
function Path({ path }: { path: ProvenPath }) {
  return (
    <ol class="trie">
      {path.nodes.map(({ kind, hash, expected, digits, size }, place) => (
        <li key={place} class={hash === expected || hash === '' ? '' : 'failed'}>
          <span class="badge">{kind}</span>
          <span>
            <span class="muted">takes </span>
            <span class="mono strong">{digits === '' ? 'nothing' : digits}</span>
          </span>
          {hash !== '' && <Hash value={hash} />}
          {hash !== '' && <span class="muted">{formatNumber(size)} bytes</span>}
          {hash !== '' &&
            (hash === expected ? (
              <span class="good-text">hash is right</span>
            ) : (
              <span class="bad-text">hash is wrong</span>
            ))}
        </li>
      ))}
    </ol>
  )
}

async function prove(address: string, slot: string) {
  const slots = slot === '' ? [] : [toSlot(slot)]
  const head = await read<Block>('eth_getBlockByNumber', 'latest', false)
  // By its number the state is that of the block itself, whatever controls changed since.
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

/** A slot as 32 bytes. */
function toSlot(text: string): string {
  try {
    return `0x${BigInt(text).toString(16).padStart(64, '0')}`
  } catch {
    throw new Error('expected a slot as a number, or hexadecimal behind 0x')
  }
}
