import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { NodeChanges } from './events.js'
import { changes } from './events.js'
import { messageOf } from './http.js'
import { PacedTask } from './pacedTask.js'

/** What was read, and why it could not be. */
export interface Live<Value> {
  value: Value | undefined
  error: string | undefined
  /** Reads again now. */
  refresh(): void
}

/**
 * Reads something, and again whenever a counter of the node's events grows; one read at a time, however fast it grows.
 *
 * @param read - reads it; must not change anything
 * @param dependencies - what `read` depends on: when one changes, what was read before is dropped
 * @param counters - what makes it read again
 */
export function useLive<Value>(
  read: () => Promise<Value>,
  dependencies: readonly unknown[],
  counters: readonly (keyof NodeChanges)[] = [],
): Live<Value> {
  const [state, setState] = useState<Omit<Live<Value>, 'refresh'>>({ value: undefined, error: undefined })
  const latest = useRef(read)
  latest.current = read
  const refresh = useRef<() => void>(() => undefined)
  // Without waiting for what is shown meanwhile to be painted.
  useLayoutEffect(() => {
    let isOver = false
    const task = new PacedTask(async () => {
      try {
        const value = await latest.current()
        if (!isOver) setState({ value, error: undefined })
      } catch (error) {
        if (!isOver) setState((before) => ({ value: before.value, error: messageOf(error) }))
      }
    })
    refresh.current = () => task.ask()
    setState({ value: undefined, error: undefined })
    task.ask()
    const numbers = (): string => counters.map((name) => changes.value?.[name]).join()
    let known = numbers()
    const stop = changes.subscribe(() => {
      const now = numbers()
      if (now !== known) task.ask()
      known = now
    })
    return () => {
      isOver = true
      stop()
      task.stop()
    }
    // The counters of one use never change.
  }, dependencies)
  return { ...state, refresh: () => refresh.current() }
}
