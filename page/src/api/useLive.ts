import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { NodeChanges } from './events.js'
import { changes } from './events.js'
import { messageOf } from './http.js'
import { PacedTask } from './pacedTask.js'

/** A value that is kept up to date, or the error of reading it. */
export interface Live<Value> {
  value: Value | undefined
  error: string | undefined
  /** Reads it again. */
  refresh(): void
}

/**
 * Reads a value, and reads it again whenever a counter of the node's events grows, one read at a time.
 *
 * @param read - must not change anything
 * @param dependencies - values that `read` depends on; a change drops the previous value
 * @param counters - counters that trigger a new read
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
  // A layout effect, to start reading before the placeholder is painted.
  useLayoutEffect(() => {
    let isStopped = false
    const task = new PacedTask(async () => {
      try {
        const value = await latest.current()
        if (!isStopped) setState({ value, error: undefined })
      } catch (error) {
        if (!isStopped) setState((before) => ({ value: before.value, error: messageOf(error) }))
      }
    })
    refresh.current = () => task.request()
    setState({ value: undefined, error: undefined })
    task.request()
    const numbers = (): string => counters.map((name) => changes.value?.[name]).join()
    let known = numbers()
    const stop = changes.subscribe(() => {
      const now = numbers()
      if (now !== known) task.request()
      known = now
    })
    return () => {
      isStopped = true
      stop()
      task.stop()
    }
    // `counters` never changes between renders.
  }, dependencies)
  return { ...state, refresh: () => refresh.current() }
}
