import { encodeFunctionData, hexToBytes, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { Reporter } from './reporter.js'

const abi = parseAbi(['function log(string)'])
const logged = (text: string): Uint8Array => hexToBytes(encodeFunctionData({ abi, args: [text] }))

/** Starts a reporter that prints into a list. @param tell - called with each line */
function startReporter(tell: (line: string) => void | Promise<void>): Reporter {
  return new Reporter({
    chain: { events: { subscribe: () => undefined } } as never,
    tracing: { traceBlock: () => Promise.reject(new Error('not traced')) },
    artifacts: [],
    trace: false,
    consoleLog: true,
    colours: false,
    logging: { enabled: true },
    tell,
    fault: (fault) => {
      throw fault
    },
  })
}

test('lines of console.log come in order, each once the reader has taken the last', async () => {
  const lines: string[] = []
  let isTaken = true
  const reporter = startReporter(async (line) => {
    expect(isTaken).toBe(true)
    isTaken = false
    await new Promise((resolve) => setTimeout(resolve, 1))
    isTaken = true
    lines.push(line)
  })
  for (const text of ['a', 'b', 'c']) reporter.onConsole(logged(text))
  await expect.poll(() => lines).toEqual(['a', 'b', 'c'])
})

test('lines made faster than they are printed are left out and counted', async () => {
  const lines: string[] = []
  const reporter = startReporter((line) => void lines.push(line))
  const megabyte = logged('x'.repeat(1e6))
  for (let i = 0; i < 100; i++) reporter.onConsole(megabyte)
  await expect.poll(() => lines.at(-1)).toMatch(/\n… 84 more console\.log calls/)
  expect(lines).toHaveLength(16)
  reporter.onConsole(logged('again'))
  await expect.poll(() => lines.at(-1)).toBe('again')
})
