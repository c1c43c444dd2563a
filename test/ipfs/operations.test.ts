import { afterAll, beforeAll, expect, it } from 'vitest'
import answers from './kuboAnswers.json' with { type: 'json' }
import listed from './kuboCommands.json' with { type: 'json' }
import { commands } from '../../src/ipfs/commands/registry.js'
import { refusedOperations } from '../../src/ipfs/commands/offline.js'
import { type TestNetwork, form, startNetwork } from './support.js'

let node: TestNetwork
beforeAll(async () => {
  node = await startNetwork()
})
afterAll(() => node.stop())

interface ListedCommand {
  Name: string
  Subcommands: ListedCommand[]
  Options: { Names: string[] }[]
}

/** The names of options, sorted, by operation. */
function flatten({ Subcommands }: ListedCommand, above = ''): [string, string[][]][] {
  return Subcommands.flatMap((command) => {
    const path = `${above}${command.Name}`
    const options = command.Options.map(({ Names }) => Names.filter((name) => name !== '').sort())
    return [[path, options.sort()], ...flatten(command, `${path}/`)] satisfies [string, string[][]][]
  })
}

it('lists the operations and options that Kubo 0.42.0 lists, and no others', async () => {
  const response = await node.post('commands?flags=true')
  const own = Object.fromEntries(flatten((await response.json()) as ListedCommand))
  const kubo = Object.entries(listed).map(([path, options]) => [
    path,
    options.map((names) => names.filter((name) => name !== '')).sort(),
  ])
  expect(own).toEqual(Object.fromEntries(kubo))
})

// Target, content of the uploaded file, status and body of `ipfs daemon --offline`, in the order in which they were asked for.
it('answers what needs peers or an experiment as Kubo 0.42.0 does', async () => {
  for (const [target, content, status, body] of answers as [string, string | null, number, string][]) {
    const upload = content === null ? undefined : form([{ content }])
    const response = await node.post(target, upload?.body, upload?.headers)
    expect([target, response.status, await response.text()]).toEqual([target, status, body])
  }
})

it.each(refusedOperations.map(([path]) => path))('%s was asked of Kubo', (path) => {
  expect(commands.has(path)).toBe(true)
  expect((answers as [string][]).some(([target]) => target.replace(/\?.*/, '') === path)).toBe(true)
})
