import { runCommand } from './cli/run.js'

/**
 * The `standin` command.
 *
 * @param words what follows the command's name on the command line.
 */
export async function main(words: readonly string[]): Promise<void> {
  process.exitCode = await runCommand(words)
}
