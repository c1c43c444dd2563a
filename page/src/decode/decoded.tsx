import { CopyButton } from '../parts/copyButton.js'
import { Hash } from '../parts/hash.js'
import { formatJson } from '../parts/code.js'
import type { DecodedGroup } from './request.js'
import './decoded.css'

/** Groups of decoded values. Every value is shown as text. */
export function Decoded({ value }: { value: readonly DecodedGroup[] }) {
  return (
    <div class="decoded">
      {value.map((group, place) => (
        <section key={place}>
          <h3>
            {group.title}
            {group.note !== undefined && <span class="muted mono"> {group.note}</span>}
          </h3>
          <dl class="facts">
            {group.rows.map((row, index) => (
              <div key={index}>
                <dt>
                  {row.name}
                  {row.type !== undefined && <span class="muted mono"> {row.type}</span>}
                </dt>
                <dd>
                  <Value value={row.value} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  )
}

/** A value by its form: addresses as links, nested values as JSON. */
function Value({ value }: { value: unknown }) {
  if (typeof value === 'string') {
    if (/^0x[0-9a-f]{40}$/i.test(value)) return <Hash value={value} kind="address" />
    if (/^0x[0-9a-f]{64}$/i.test(value)) return <Hash value={value} />
    if (/^0x[0-9a-f]{65,}$/i.test(value)) {
      return (
        <span class="hash">
          <span class="mono break">{value.length > 400 ? `${value.slice(0, 400)}…` : value}</span>
          <CopyButton text={value} label="Copy bytes" />
        </span>
      )
    }
    return <span class="break">{value}</span>
  }
  if (typeof value === 'bigint') return <Integer value={value} />
  if (typeof value === 'object' && value !== null) return <pre class="inline-json">{formatJson(value)}</pre>
  return <span class="mono">{String(value)}</span>
}

/** An integer; long ones with many trailing zeros, such as token amounts, also as a power of ten. */
function Integer({ value }: { value: bigint }) {
  const text = value.toString()
  const [, digits = '', zeros = ''] = /^(-?\d*?)(0*)$/.exec(text) ?? []
  const isLong = zeros.length >= 9 && digits.length <= 12
  return (
    <span class="mono">
      {text}
      {isLong && (
        <span class="muted">
          {' = '}
          {digits} × 10<sup>{zeros.length}</sup>
        </span>
      )}
    </span>
  )
}
