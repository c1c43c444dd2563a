import { CopyButton } from './copyButton.js'
import './code.css'

/** A text in a fixed-width font, with a button that copies it. */
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

/** JSON of two spaces an indent; numbers beyond doubles stay whole. */
export function formatJson(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? inner.toString() : inner), 2) ??
    'undefined'
  )
}
