/** A member to look for. */
export interface MemberQuery {
  /** Names of the members that lead to it, from the outermost object. */
  path: readonly string[]
  /** Texts of the values to look for; undefined if any value will do. */
  values?: readonly string[]
}

/** How much of a text is JSON. */
export interface JsonScan {
  /** Whether all of it is. */
  isWhole: boolean
  /** Whether more JSON may follow its end. */
  isBeginning: boolean
  /** Whether one of the members that were looked for is in it. */
  isFound: boolean
}

/**
 * Tells how much of a text is JSON, as leniently as Kubo's gateway (Go, `mimetype`): it takes the first character of a
 * broken string, list or object for a whole value, and allows commas at the end.
 *
 * @param queries - members to look for; if there are none, they count as found
 */
export function scanJson(text: string, queries: readonly MemberQuery[] = []): JsonScan {
  return new Scanner(text, queries).scan()
}

/** A list or an object that is open. */
interface Container {
  start: number
  isObject: boolean
  /** Query for the current member. */
  query?: MemberQuery | undefined
  valueStart: number
}

/** What was read: the beginning of a value, or one up to its end, which is undefined if it is broken. */
type Step = { value: number } | { end: number | undefined }

/** The step of a path into a list. */
const listStep = '['
const spaces = /[ \t\r\n]*/y
const keywords = new Set(['true', 'false', 'null'])

class Scanner {
  readonly #text: string
  readonly #queries: readonly MemberQuery[]
  /** A list, so that no depth is too much. */
  readonly #open: Container[] = []
  readonly #path: string[] = []
  /** Number of characters read; what follows a broken value is read, and counted, again. */
  #read = 0
  #isFound: boolean

  constructor(text: string, queries: readonly MemberQuery[]) {
    this.#text = text
    this.#queries = queries
    this.#isFound = queries.length === 0
  }

  scan(): JsonScan {
    const { length } = this.#text
    const start = this.#skip(spaces, 0)
    let step: Step = start === length ? { end: start } : { value: start }
    for (;;) {
      if ('value' in step) {
        step = this.#begin(step.value)
        continue
      }
      const container = this.#open.at(-1)
      if (container === undefined) break
      step = this.#proceed(container, step.end)
    }
    return { isWhole: step.end === length, isBeginning: this.#read === length, isFound: this.#isFound }
  }

  /** Reads a value, or opens a list or an object. */
  #begin(start: number): Step {
    const mark = this.#text[start]
    if (mark === '"') {
      const end = this.#string(start)
      return { end: end === undefined ? start + 1 : this.#skip(spaces, end) }
    }
    if (mark !== '[' && mark !== '{') {
      const end = this.#literal(start)
      return { end: end && this.#skip(spaces, end) }
    }
    this.#read++
    const container = { start, isObject: mark === '{', valueStart: start }
    this.#open.push(container)
    if (!container.isObject) this.#path.push(listStep)
    return this.#next(container, start + 1)
  }

  /** Reads up to the next value in a container. */
  #next(container: Container, from: number): Step {
    const text = this.#text
    const start = this.#skip(spaces, from)
    const mark = text[start]
    if (mark === (container.isObject ? '}' : ']')) {
      this.#read++
      if (!container.isObject) this.#path.pop()
      return this.#close(start + 1)
    }
    if (mark === undefined) return this.#close(undefined)
    if (!container.isObject) return { value: start }
    const end = mark === '"' ? this.#string(start) : undefined
    if (end === undefined) return this.#close(undefined)
    this.#path.push(text.slice(start + 1, end - 1))
    container.query = this.#isFound ? undefined : this.#queries.find(({ path }) => this.#isAt(path))
    const colon = this.#skip(spaces, end)
    if (text[colon] !== ':') return this.#close(undefined)
    this.#read++
    const value = this.#skip(spaces, colon + 1)
    container.valueStart = value
    return value === text.length ? this.#close(undefined) : { value }
  }

  /** Reads on after a value in a container. */
  #proceed(container: Container, end: number | undefined): Step {
    if (end === undefined) return this.#close(undefined)
    const { isObject, query, valueStart } = container
    const value = this.#text.slice(valueStart, end).trim()
    if (query !== undefined && (query.values?.includes(value) ?? true)) this.#isFound = true
    const mark = this.#text[end]
    const isLast = mark === (isObject ? '}' : ']')
    if (mark !== ',' && !isLast) return this.#close(undefined)
    this.#read++
    // A list with elements stays on the path when it ends, as in `mimetype`.
    if (isObject) this.#path.pop()
    return isLast ? this.#close(end + 1) : this.#next(container, end + 1)
  }

  /** Closes the innermost container. @param end - undefined if it is broken */
  #close(end: number | undefined): Step {
    const { start } = this.#open.pop() as Container
    return { end: end === undefined ? start + 1 : this.#skip(spaces, end) }
  }

  #isAt(path: readonly string[]): boolean {
    return path.length === this.#path.length && path.every((name, index) => name === this.#path[index])
  }

  /** Reads a string. @returns its end; undefined if it is broken */
  #string(start: number): number | undefined {
    const end = this.#skip(/"(?:[^"\\]+|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*/y, start)
    if (this.#text[end] === '"') return this.#skip(/"/y, end)
    this.#skip(/\\(?:u[\da-fA-F]{0,3})?/y, end)
    return undefined
  }

  /** Reads a number or a keyword. @returns its end; undefined if it is broken */
  #literal(start: number): number | undefined {
    const word = this.#skip(/t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?/y, start)
    if (word > start) return keywords.has(this.#text.slice(start, word)) ? word : undefined
    const number = this.#skip(/-?\d*\.?\d*/y, start)
    if (!/\d/.test(this.#text.slice(start, number))) return undefined
    const end = this.#skip(/(?:[eE][+-]?\d*)?/y, number)
    return end === number || /\d$/.test(this.#text.slice(number, end)) ? end : undefined
  }

  /** Reads what matches a sticky pattern. @returns its end */
  #skip(pattern: RegExp, start: number): number {
    pattern.lastIndex = start
    const [read = ''] = pattern.exec(this.#text) ?? []
    this.#read += read.length
    return start + read.length
  }
}
