import type { NodeHooks } from '../node.js'

type ImportProgress = Parameters<NonNullable<NodeHooks['importing']>>[0]

const WIDTH = 30
/** Milliseconds between two pictures of the bar. */
const INTERVAL = 100

/** A terminal as far as a bar needs it. */
export interface BarTerminal {
  isTTY?: boolean
  write(text: string): unknown
}

/** Shows how far an import has come, in one line that is drawn again and again; nothing where there is no terminal. */
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
