import { errorText, FileNetworkError } from '../../errors.js'
import { defineCommand } from '../../request/command.js'
import { values } from '../../request/output.js'

/** `repo/verify`: reads every block and checks it against its CID. */
export const repoVerify = defineCommand({
  description: 'Check every stored block against its CID.',
  arguments: [],
  options: {
    drop: { type: 'bool', description: 'No effect: nothing is removed.' },
    heal: { type: 'bool', description: 'No effect: there is no network to fetch from.' },
  },
  run({ signal }, { blockstore }) {
    return values(
      (async function* () {
        let progress = 0
        let corrupt = 0
        for await (const cid of blockstore.cids()) {
          signal.throwIfAborted()
          let problem: string | undefined
          try {
            if ((await blockstore.verify(cid)) === false) {
              problem = 'block in storage has different hash than requested'
            }
          } catch (error) {
            problem = errorText(error)
          }
          if (problem !== undefined) {
            corrupt++
            yield { Msg: `block ${cid} was corrupt (${problem})`, Progress: 0 }
          }
          progress++
          yield { Msg: '', Progress: progress }
        }
        if (corrupt > 0) throw new FileNetworkError('verify complete, some blocks were corrupt')
        yield { Msg: 'verify complete, all blocks validated.', Progress: 0 }
      })(),
    )
  },
})
