import { CopyButton } from './copyButton.js'
import './code.css'

/** Monospaced text with a copy button. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div class="code">
      <pre tabIndex={0} role="group" aria-label={label}>
        {text}
      </pre>
      <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
    </div>
  )
}

/** A value as JSON. */
export function Json({ value, label }: { value: unknown; label: string }) {
  return <Code text={formatJson(value)} label={label} />
}

/** Formats JSON with two-space indents and bigints in full. */
export function formatJson(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner), 2) ??
    'undefined'
  )
}
