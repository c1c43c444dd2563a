import { defineCommand, single } from '../../request/command.js'

/** `config/show`: all settings, without the private key. */
export const configShow = defineCommand({
  description: 'Show the configuration.',
  arguments: [],
  options: {
    'expand-auto': { type: 'bool', description: 'No effect: nothing stands for automatic values.' },
  },
  run: (_, { configuration }) => single(configuration.show()),
})
