import { linesOfText } from '../request/textForm.js'
import { type Command, defineCommand, single } from '../request/command.js'

/** An operation and its suboperations, as Kubo lists them. */
interface ListedCommand {
  Name: string
  Subcommands: ListedCommand[]
  Options: { Names: readonly string[] }[]
}

/**
 * `commands`: lists all operations as a tree.
 *
 * @param unserved - option names of operations that are listed but not served
 */
export function commandsCommand(
  all: () => ReadonlyMap<string, Command>,
  unserved: ReadonlyMap<string, readonly (readonly string[])[]>,
): Command {
  return defineCommand({
    description: 'List all operations.',
    arguments: [],
    options: { flags: { type: 'bool', aliases: ['f'], description: 'Text output only.' } },
    *text(root: ListedCommand, { options: { flags } }) {
      yield* linesOfText([...pathsOf(root, '', flags === true)].sort())
    },
    run() {
      const root: ListedCommand = {
        Name: 'ipfs',
        Subcommands: [],
        Options: rootOptions.map((Names) => ({ Names })),
      }
      const list = (path: string, names: readonly (readonly string[])[]): void => {
        placeOf(root, path.split('/')).Options = names.map((Names) => ({ Names }))
      }
      const paths = [...all().keys()]
      for (const [path, { options }] of all()) {
        const isParent = paths.some((other) => other.startsWith(`${path}/`))
        const own = Object.entries(options).filter(([, { inherited }]) => isParent || !inherited)
        list(
          path,
          own.map(([name, { aliases = [] }]) => [name, ...aliases]),
        )
      }
      for (const [path, names] of unserved) list(path, names)
      return single(root)
    },
  })
}

/** Options that every command line of Kubo takes (Kubo, `core/commands/root.go`). */
const rootOptions = [
  ...[['repo-dir'], ['config-file'], ['config', 'c'], ['debug', 'D'], ['help'], ['h'], ['local', 'L']],
  ...[['offline'], ['api'], ['api-auth'], ['cid-base'], ['upgrade-cidv0-in-output'], ['encoding', 'enc']],
  ...[['stream-channels'], ['timeout']],
]

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

/** Yields the paths of an operation and its suboperations; with options, also a line for each option's names. */
function* pathsOf(
  { Name, Options, Subcommands }: ListedCommand,
  above: string,
  withOptions: boolean,
): Generator<string> {
  const path = above + Name
  yield path
  if (withOptions && above !== '') {
    for (const { Names } of Options) {
      yield Names.map((name) => `${path} ${name.length === 1 ? '-' : '--'}${name}`).join(' / ')
    }
  }
  for (const command of Subcommands) yield* pathsOf(command, `${path} `, withOptions)
}
