import type { ComponentChildren } from 'preact'
import './badge.css'

/** Meaning of a colour. */
export type Tone = 'neutral' | 'good' | 'bad' | 'warn' | 'accent'

/** A word in a coloured box. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>
}
