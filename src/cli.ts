import { runCommand } from './cli/run.js'

/**
 * Runs the `standin` command.
 *
 * @param words - command-line words after the command's name
 * @param whenStarted - called once the node, if one was requested, has started
 */
export async function main(words: readonly string[], whenStarted: () => void): Promise<void> {
  process.exitCode = await runCommand(words, whenStarted)
}
