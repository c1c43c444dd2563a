/** A difference between two answers. */
export interface Difference {
  /** Names the class: differences with the same cause share it. */
  name: string
  request: string
  ours: string
  theirs: string
}

/** A class of intended differences. */
export interface ExpectedDifference {
  reason: string
  matches(difference: Difference): boolean
}

interface DifferenceClass {
  count: number
  smallest: Difference
}

/** Collects differences by class, each with its count and smallest example. */
export class DifferenceClasses {
  readonly #expected: readonly ExpectedDifference[]
  readonly #intended = new Map<string, number>()
  readonly #unexplained = new Map<string, DifferenceClass>()

  constructor(expected: readonly ExpectedDifference[]) {
    this.#expected = expected
  }

  /** Number of classes without a listed reason. */
  get unexplained(): number {
    return this.#unexplained.size
  }

  add(difference: Difference): void {
    const intended = this.#expected.find(({ matches }) => matches(difference))
    if (intended !== undefined) {
      this.#intended.set(intended.reason, (this.#intended.get(intended.reason) ?? 0) + 1)
      return
    }
    const known = this.#unexplained.get(difference.name)
    if (known === undefined) this.#unexplained.set(difference.name, { count: 1, smallest: difference })
    else {
      known.count++
      if (difference.request.length < known.smallest.request.length) known.smallest = difference
    }
  }

  /** Yields the lines of a report: intended differences with their reasons, then the others, most frequent first. */
  *report(): Generator<string> {
    for (const [reason, count] of this.#intended) yield `intended [${count}] ${reason}`
    const classes = [...this.#unexplained.values()].sort((a, b) => b.count - a.count)
    for (const { count, smallest } of classes) {
      const { name, request, ours, theirs } = smallest
      // The request is never shortened, so that it can be replayed.
      yield `\n[${count}] ${name}\n  sent   ${request}\n  ours   ${truncate(ours)}\n  theirs ${truncate(theirs)}`
    }
  }
}

const MAX_ANSWER_LENGTH = 1500

function truncate(text: string): string {
  return text.length > MAX_ANSWER_LENGTH ? `${text.slice(0, MAX_ANSWER_LENGTH)}…` : text
}
