/** A difference between two answers. */
export interface Difference {
  /** What it has in common with others of its cause. */
  name: string
  request: string
  ours: string
  theirs: string
}

/** A class of differences that is meant to be. */
export interface ExpectedDifference {
  reason: string
  matches(difference: Difference): boolean
}

interface DifferenceClass {
  count: number
  smallest: Difference
}

/** Classes of differences, each with how often it came and its smallest example. */
export class DifferenceClasses {
  readonly #expected: readonly ExpectedDifference[]
  readonly #meant = new Map<string, number>()
  readonly #unexplained = new Map<string, DifferenceClass>()

  constructor(expected: readonly ExpectedDifference[]) {
    this.#expected = expected
  }

  /** How many classes nothing explains. */
  get unexplained(): number {
    return this.#unexplained.size
  }

  add(difference: Difference): void {
    const meant = this.#expected.find(({ matches }) => matches(difference))
    if (meant !== undefined) {
      this.#meant.set(meant.reason, (this.#meant.get(meant.reason) ?? 0) + 1)
      return
    }
    const known = this.#unexplained.get(difference.name)
    if (known === undefined) this.#unexplained.set(difference.name, { count: 1, smallest: difference })
    else {
      known.count++
      if (difference.request.length < known.smallest.request.length) known.smallest = difference
    }
  }

  /** Lines that say what was found: meant differences with their reasons, then the others, the most frequent first. */
  *report(): Generator<string> {
    for (const [reason, count] of this.#meant) yield `meant, ${count} times: ${reason}`
    const classes = [...this.#unexplained.values()].sort((a, b) => b.count - a.count)
    for (const { count, smallest } of classes) {
      const { name, request, ours, theirs } = smallest
      // Whole, so that it can be sent again.
      yield `\n[${count}] ${name}\n  sent   ${request}\n  ours   ${cut(ours)}\n  theirs ${cut(theirs)}`
    }
  }
}

const LONGEST_ANSWER = 1500

function cut(text: string): string {
  return text.length > LONGEST_ANSWER ? `${text.slice(0, LONGEST_ANSWER)}…` : text
}
