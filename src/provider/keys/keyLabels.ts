/** Masks a key for logs and the journal, leaving its first and last characters. */
export function maskKey(key: string): string {
  return key.length <= 8 ? '*'.repeat(key.length) : `${key.slice(0, 4)}…${key.slice(-2)}`
}

/** Maximum number of distinct labels, and of the characters of their keys; other keys may share one. */
const MAX_LABELS = 10_000
const LONGEST_KEY = 512

/** Labels keys without revealing them: by masked form, numbered if two keys share it. */
export class KeyLabels {
  readonly #labels = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  /** Returns the label of a key, which is stable from its first use on. */
  of(key: string): string {
    const known = this.#labels.get(key)
    if (known !== undefined) return known
    const masked = maskKey(key)
    if (this.#labels.size >= MAX_LABELS || key.length > LONGEST_KEY) return masked
    const count = (this.#counts.get(masked) ?? 0) + 1
    this.#counts.set(masked, count)
    const label = count === 1 ? masked : `${masked} (${count})`
    this.#labels.set(key, label)
    return label
  }

  /** Whether a label is that of a key, or equals the given label. */
  matches(label: string | undefined, keyOrLabel: string): boolean {
    return label !== undefined && (label === keyOrLabel || label === this.#labels.get(keyOrLabel))
  }
}
