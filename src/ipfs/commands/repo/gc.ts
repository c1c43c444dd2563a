import type { CID } from 'multiformats/cid'
import { createChannel } from '../../channel.js'
import { errorText, FileNetworkError } from '../../errors.js'
import { collectGarbage } from '../../garbage/collect.js'
import { defineCommand } from '../../request/command.js'
import { valueGroups } from '../../request/output.js'

/** `repo/gc`: removes what nothing needs and frees its space. It goes on to its end, client or not. */
export const repoGc = defineCommand({
  description: 'Remove unpinned blocks.',
  arguments: [],
  options: {
    'stream-errors': { type: 'bool', description: 'Send errors as lines.' },
    quiet: { type: 'bool', aliases: ['q'], description: 'For command lines.' },
    silent: { type: 'bool', description: 'No lines.' },
  },
  run({ options }, network) {
    const removed = createChannel<CID[]>(Infinity)
    const tell = (cids: CID[]): Promise<void> => removed.send(cids).catch(() => undefined)
    void collectGarbage(network, tell).then(
      () => removed.close(),
      (error: unknown) => removed.fail(error),
    )
    return valueGroups(
      (async function* () {
        try {
          for await (const cids of removed.receive()) {
            if (!options.silent && cids.length > 0)
              yield cids.map((cid) => ({ Key: { '/': cid.toString() } }))
          }
        } catch (error) {
          if (!options['stream-errors']) throw error
          yield [{ Key: null, Error: errorText(error) }]
          throw new FileNetworkError('encountered errors during gc run')
        }
      })(),
    )
  },
})
