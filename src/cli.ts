import { runCommand } from './cli/run.js'

/**
 * The `standin` command.
 *
 * @param words what follows the command's name on the command line.
 * @param whenStarted told when a node that was asked for has started.
 */
export async function main(words: readonly string[], whenStarted: () => void): Promise<void> {
  process.exitCode = await runCommand(words, whenStarted)
}
