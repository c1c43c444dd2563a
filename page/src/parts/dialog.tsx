import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import './dialog.css'

/** A modal dialog, closed by Escape or its button. */
export function Dialog(props: { title: string; onClose: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} onClose={props.onClose} aria-label={props.title}>
      <header class="panel-head">
        <h2>{props.title}</h2>
        <button type="button" class="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      {props.children}
    </dialog>
  )
}
