import { useState } from 'preact/hooks'
import { announce } from './announcer.js'
import { Icon } from './icon.js'

/** Copies a text. Shows an icon, and the caption if there is one. */
export function CopyButton(props: { text: string; label: string; caption?: string }) {
  const { text, label, caption } = props
  const [done, setDone] = useState(false)
  const copy = async (event: Event): Promise<void> => {
    event.stopPropagation()
    await navigator.clipboard.writeText(text)
    setDone(true)
    announce('Copied')
    setTimeout(() => setDone(false), 1200)
  }
  return (
    <button
      type="button"
      class={caption === undefined ? 'icon-button small' : 'button'}
      aria-label={caption === undefined ? label : undefined}
      title={label}
      onClick={(event) => void copy(event)}
    >
      <Icon name={done ? 'check' : 'copy'} />
      {caption}
    </button>
  )
}
