/** A key as logs and the journal may show it: its first and last characters. */
export function maskKey(key: string): string {
  return key.length <= 8 ? '*'.repeat(key.length) : `${key.slice(0, 4)}…${key.slice(-2)}`
}

/** How many keys get labels of their own; the journal tells no more of them apart. */
const mostLabels = 10_000

/** Names keys without giving them away: each by its masked form, numbered where two keys have the same one. */
export class KeyLabels {
  readonly #labels = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  /** The label of a key, which stays the same from its first use on. */
  of(key: string): string {
    const known = this.#labels.get(key)
    if (known !== undefined) return known
    const masked = maskKey(key)
    if (this.#labels.size >= mostLabels) return masked
    const count = (this.#counts.get(masked) ?? 0) + 1
    this.#counts.set(masked, count)
    const label = count === 1 ? masked : `${masked} (${count})`
    this.#labels.set(key, label)
    return label
  }

  /** Whether a label is that of a key, or the text of the label itself. */
  matches(label: string | undefined, keyOrLabel: string): boolean {
    return label !== undefined && (label === keyOrLabel || label === this.#labels.get(keyOrLabel))
  }
}
