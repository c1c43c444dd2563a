import type { NodeHooks } from '../node.js'

type ImportProgress = Parameters<NonNullable<NodeHooks['importing']>>[0]

const WIDTH = 30
/** Milliseconds between redraws. */
const INTERVAL = 100

/** The parts of a terminal that a bar needs. */
export interface BarTerminal {
  isTTY?: boolean
  write(text: string): unknown
}

/** Creates a progress bar for an import, redrawn in a single line; undefined without a terminal. */
export function createImportBar(terminal: BarTerminal): ((progress: ImportProgress) => void) | undefined {
  if (terminal.isTTY !== true) return undefined
  let due = 0
  return (progress) => {
    const isDone = progress.done === progress.total
    const now = performance.now()
    if (now < due && !isDone) return
    due = now + INTERVAL
    terminal.write(`\r${formatBar(progress)}${isDone ? '\n' : ''}`)
  }
}

function formatBar({ number, done, total }: ImportProgress): string {
  const share = done / total
  const bar = '='.repeat(Math.round(WIDTH * share)).padEnd(WIDTH)
  return `Importing [${bar}] ${Math.floor(100 * share)} % block ${number}`
}
