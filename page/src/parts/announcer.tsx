import { signal } from '@preact/signals'
import { messageOf } from '../api/http.js'
import './announcer.css'

interface Notice {
  text: string
  isFailure: boolean
}

const notice = signal<Notice | undefined>(undefined)
let timer: ReturnType<typeof setTimeout> | undefined

/** Announces a success on screen and to screen readers. */
export function announce(text: string): void {
  show({ text, isFailure: false }, 2500)
}

/** Announces a failure. */
export function announceFailure(error: unknown): void {
  show({ text: messageOf(error), isFailure: true }, 8000)
}

/** Runs work and announces the outcome. @returns whether it succeeded */
export async function attempt(work: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await work()
    if (done !== undefined) announce(done)
    return true
  } catch (error) {
    announceFailure(error)
    return false
  }
}

/** Shows announcements. */
export function Announcer() {
  return (
    <div class="announcer" role="status" aria-live="polite">
      {notice.value !== undefined && (
        <p class={notice.value.isFailure ? 'notice failure' : 'notice'}>{notice.value.text}</p>
      )}
    </div>
  )
}

function show(shown: Notice, milliseconds: number): void {
  clearTimeout(timer)
  notice.value = shown
  timer = setTimeout(() => {
    notice.value = undefined
  }, milliseconds)
}
