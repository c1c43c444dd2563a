import { type Command, defineCommand, single } from '../request/command.js'

/** An operation with those below it, as Kubo lists them. */
interface ListedCommand {
  Name: string
  Subcommands: ListedCommand[]
  Options: { Names: string[] }[]
}

/** `commands`: all operations, as a tree. */
export function commandsCommand(all: () => ReadonlyMap<string, Command>): Command {
  return defineCommand({
    description: 'List all operations.',
    arguments: [],
    options: { flags: { type: 'bool', aliases: ['f'], description: 'For command lines.' } },
    run() {
      const root: ListedCommand = { Name: 'ipfs', Subcommands: [], Options: [] }
      for (const [path, { options }] of all()) {
        const listed = placeOf(root, path.split('/'))
        listed.Options = Object.entries(options).map(([name, { aliases = [] }]) => ({
          Names: [name, ...aliases],
        }))
      }
      return single(root)
    },
  })
}

function placeOf(root: ListedCommand, path: string[]): ListedCommand {
  let place = root
  for (const Name of path) {
    let next = place.Subcommands.find((command) => command.Name === Name)
    if (next === undefined) {
      next = { Name, Subcommands: [], Options: [] }
      place.Subcommands.push(next)
    }
    place = next
  }
  return place
}
