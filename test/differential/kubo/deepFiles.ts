import { type Scene, type SceneContext, request } from './scene.js'
import { randomContent, uploadOf } from './uploads.js'

/** Plays directories of the same names at several depths, moved, copied and removed. */
export function* deepFiles({ random, cid }: SceneContext): Scene {
  const directories = ['/t', '/t/t', '/t/u', '/t/u/t', '/u', '/u/t', '/u/t/t']
  for (const path of directories)
    yield request('files/mkdir', [
      ['arg', path],
      ['parents', 'true'],
    ])
  const file = (): string => random.pick(['a', 'b', 't', 'u'])
  const flush = (): [string, string][] => (random.chance(0.2) ? [['flush', 'false']] : [])
  for (let step = 0; step < 16; step++) {
    const from = `${random.pick(directories)}${random.chance(0.6) ? `/${file()}` : ''}`
    const to = `${random.pick(directories)}${random.pick(['', '/', `/${file()}`])}`
    switch (random.below(6)) {
      case 0:
        yield request(
          'files/write',
          [
            ['arg', `${random.pick(directories)}/${file()}`],
            ['create', 'true'],
            ['truncate', 'true'],
            ...flush(),
          ],
          uploadOf(randomContent(random, random.below(40))),
        )
        break
      case 1:
      case 2:
        // Kubo loses a directory that is moved into itself.
        if (!`${to}/`.startsWith(`${from}/`))
          yield request('files/mv', [['arg', from], ['arg', to], ...flush()])
        break
      case 3:
        yield request('files/cp', [
          ['arg', random.chance(0.5) ? from : `/ipfs/${cid()}`],
          ['arg', to],
          ...flush(),
        ])
        break
      case 4:
        yield request('files/rm', [['arg', from], ['recursive', random.pick(['true', 'false'])], ...flush()])
        break
      default:
        yield request('files/ls', [
          ['arg', random.pick(directories)],
          ['long', 'true'],
        ])
    }
  }
  for (const path of ['/', ...directories]) yield request('files/stat', [['arg', path]])
  yield request('files/rm', [
    ['arg', '/t'],
    ['arg', '/u'],
    ['recursive', 'true'],
    ['force', 'true'],
  ])
}
