import { latin1 } from '../../encoding/bytes.js'
import type { BlockLocation } from './rows.js'

/**
 * What a running operation relies on. Removals spare every block that was stored after the session began
 * and every block that the session touched, also where it found it already stored.
 */
export interface BlockSession {
  /** Protects a block that may already be stored. */
  touch(key: Uint8Array): void
  end(): void
}

interface Protection {
  startedAt: number
  touched: Set<string>
}

/** Which blocks a removal must spare. */
export interface Sessions {
  open(): BlockSession
  /** Until `end` is called, sessions that end keep protecting what they relied on. */
  openRemoval(): { end(): void }
  isProtected(key: Uint8Array, location: BlockLocation): boolean
}

/** A key as a string, for maps and sets. */
export function keyText(key: Uint8Array): string {
  return latin1(key)
}

/** A place in the segments as a number that only grows: segments are numbered and appended to in order. */
function placeOf(segment: number, offset: number): number {
  return segment * 2 ** 32 + offset
}

/** Keeps the sessions; `end` tells where the next block will be appended. */
export function createSessions(end: () => { segment: number; offset: number }): Sessions {
  const protections = new Set<Protection>()
  const endedDuringRemoval = new Set<Protection>()
  let removals = 0

  function begin(): Protection {
    const { segment, offset } = end()
    const protection = { startedAt: placeOf(segment, offset), touched: new Set<string>() }
    protections.add(protection)
    return protection
  }

  return {
    open() {
      const protection = begin()
      return {
        touch: (key) => void protection.touched.add(keyText(key)),
        end: () => {
          if (removals === 0) protections.delete(protection)
          else endedDuringRemoval.add(protection)
        },
      }
    },
    openRemoval() {
      const protection = begin()
      removals++
      return {
        end: () => {
          protections.delete(protection)
          removals--
          if (removals > 0) return
          for (const ended of endedDuringRemoval) protections.delete(ended)
          endedDuringRemoval.clear()
        },
      }
    },
    isProtected(key, location) {
      const place = placeOf(location.segment, location.offset)
      const text = keyText(key)
      for (const { startedAt, touched } of protections) {
        if (place >= startedAt || touched.has(text)) return true
      }
      return false
    },
  }
}
