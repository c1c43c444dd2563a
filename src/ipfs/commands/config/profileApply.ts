import { defineCommand, pathArgument, single } from '../../request/command.js'

/** `config/profile/apply`: changes the settings that a profile of Kubo names. */
export const configProfileApply = defineCommand({
  description: 'Apply a profile to the configuration.',
  arguments: [pathArgument('profile', 'The profile, such as `unixfs-v1-2025`.')],
  options: { 'dry-run': { type: 'bool', description: 'Only show what would change.' } },
  async run({ args: [name = ''], options }, { configuration }) {
    const { before, after } = await configuration.applyProfile(name, { isTrial: options['dry-run'] === true })
    return single({ OldCfg: before, NewCfg: after })
  },
})
