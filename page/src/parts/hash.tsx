import { link } from '../shell/router.js'
import { CopyButton } from './copyButton.js'
import { shorten } from './format.js'
import './hash.css'

/** Routes that show values of each kind. */
const places = {
  transaction: 'chain/transaction',
  block: 'chain/block',
  address: 'chain/account',
  cid: 'files/dag',
} as const

/** A shortened hash, address or CID with a link and a button that copies all of it. */
export function Hash(props: { value: string; kind?: keyof typeof places; whole?: boolean; name?: string }) {
  const { value, kind, whole = false, name } = props
  const text = name ?? (whole ? value : shorten(value, 8, 6))
  return (
    <span class="hash">
      {kind === undefined ? (
        <span class="mono" title={value}>
          {text}
        </span>
      ) : (
        <a class="mono" title={value} href={link(`${places[kind]}/${encodeURIComponent(value)}`)}>
          {text}
        </a>
      )}
      <CopyButton text={value} label={`Copy ${value}`} />
    </span>
  )
}
