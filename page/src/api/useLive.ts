import { useEffect, useRef, useState } from 'preact/hooks'
import type { NodeChanges } from './events.js'
import { changes } from './events.js'

/** What was read, and why it could not be. */
export interface Live<Value> {
  value: Value | undefined
  error: string | undefined
  /** Reads again now. */
  refresh(): void
}

/** Milliseconds between two reads of the same thing. */
const restBetweenReads = 250

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
  useEffect(() => {
    let isOver = false
    let isReading = false
    let isStale = false
    async function run(): Promise<void> {
      isReading = true
      isStale = false
      try {
        const value = await latest.current()
        if (!isOver) setState({ value, error: undefined })
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        if (!isOver) setState((before) => ({ value: before.value, error: message }))
      }
      setTimeout(() => {
        isReading = false
        if (isStale && !isOver) void run()
      }, restBetweenReads)
    }
    const again = (): void => {
      isStale = true
      if (!isReading && !document.hidden) void run()
    }
    refresh.current = again
    setState({ value: undefined, error: undefined })
    void run()
    const numbers = (): string => counters.map((name) => changes.value?.[name]).join()
    let known = numbers()
    const stop = changes.subscribe(() => {
      const now = numbers()
      if (now !== known) again()
      known = now
    })
    const onVisible = (): void => {
      if (!document.hidden && isStale && !isReading) void run()
    }
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      isOver = true
      stop()
      document.removeEventListener('visibilitychange', onVisible)
    }
    // The counters of one use never change.
  }, dependencies)
  return { ...state, refresh: () => refresh.current() }
}
