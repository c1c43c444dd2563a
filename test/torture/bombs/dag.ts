import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TorturedNode } from '../node.js'
import { askFiles } from '../requests.js'
import { refusalOf, sendFile, type Bomb } from './bomb.js'

/** Content for a DAG. */
export interface Dag {
  /** Operation that stores it. */
  path: string
  body: () => Buffer
  /** Root CID from the operation's answer. */
  cidOf: (answer: string) => string
}

/** Maximum header bytes of an answer, in which the gateway lists the CIDs of all nodes of a path. */
const LONGEST_HEAD = 2 ** 20

/** A GET request to the gateway. */
function sendToGateway(url: string, path: string, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const request = get(new URL(path, url), { maxHeaderSize: LONGEST_HEAD, signal }, (response) => {
      text(response).then(
        (body) => resolve(refusalOf({ status: response.statusCode ?? 0, text: body })),
        reject,
      )
    })
    // Requests aborted by a signal fail with their own error name.
    request.on('error', (error) => reject(signal.aborted ? (signal.reason as Error) : error))
  })
}

/** Operations that prepare a way to read or change a DAG. */
function preparationOf(way: string): string[] {
  if (/^(pin\/(ls|rm|verify)|repo\/gc)/.test(way)) return ['pin/add?arg=CID']
  if (way.startsWith('pin/add')) return ['pin/rm?arg=CID']
  if (!way.includes('arg=/wide')) return []
  const paths = ['files/rm?arg=/wide&recursive=true&force=true']
  if (!way.startsWith('files/cp')) paths.push('files/cp?arg=/ipfs/CID&arg=/wide')
  if (way.startsWith('files/rm?arg=/wide/new')) paths.push('files/write?arg=/wide/new&create=true')
  return paths
}

/** Output of an operation. */
const contentOf = (way: string): Buffer | undefined =>
  way.startsWith('files/write') ? Buffer.from('x') : undefined

/** Creates a DAG, and reads and changes it in every way: operations or gateway paths, with `CID` for its root. */
export function withDag(name: string, dag: Dag, ways: readonly string[]): Bomb[] {
  const roots = new WeakMap<TorturedNode, string>()
  const isThere = async (node: TorturedNode, cid: string): Promise<boolean> =>
    (await sendFile(node, `block/stat?arg=${cid}&offline=true`)) === undefined
  async function ensure(node: TorturedNode): Promise<string> {
    let cid = roots.get(node)
    if (cid === undefined || !(await isThere(node, cid))) {
      cid = dag.cidOf((await askFiles(node, dag.path, dag.body())).text)
      roots.set(node, cid)
    }
    return cid
  }
  return [
    { name: `${dag.path}: ${name}`, run: (node, signal) => sendFile(node, dag.path, dag.body(), signal) },
    ...ways.map((way): Bomb => ({
      name: `${shortened(way)}: ${name}`,
      async prepare(node) {
        const cid = await ensure(node)
        for (const path of preparationOf(way)) {
          await sendFile(node, path.replace('CID', cid), contentOf(path))
        }
      },
      run(node, signal) {
        const path = way.replace('CID', roots.get(node) ?? '')
        return way.startsWith('/')
          ? sendToGateway(node.ready.ipfsUrl, path, signal)
          : sendFile(node, path, contentOf(way), signal)
      },
    })),
  ]
}

/** A short notation for a path that repeats a name. */
function shortened(way: string): string {
  return way.replace(/(?:a\/){2,}/, (names) => `a/ (${names.length / 2} times)`)
}
