import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TorturedNode } from '../node.js'
import { askFiles } from '../requests.js'
import { refusalOf, sendFile, type Bomb } from './bomb.js'

/** Content that the file network makes a DAG of. */
export interface Dag {
  /** The operation that takes it. */
  path: string
  body: () => Buffer
  /** The CID of the root, from the operation's answer. */
  cidOf: (answer: string) => string
}

/** Bytes of an answer's head: the gateway names the CIDs of all nodes of a path there. */
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
    // What a signal ends fails with a name of its own here.
    request.on('error', (error) => reject(signal.aborted ? (signal.reason as Error) : error))
  })
}

/** What has to be there before a way of reading or changing a DAG, as operations. */
function preparationOf(way: string): string[] {
  if (/^(pin\/(ls|rm|verify)|repo\/gc)/.test(way)) return ['pin/add?arg=CID']
  if (way.startsWith('pin/add')) return ['pin/rm?arg=CID']
  if (!way.includes('arg=/wide')) return []
  const paths = ['files/rm?arg=/wide&recursive=true&force=true']
  if (!way.startsWith('files/cp')) paths.push('files/cp?arg=/ipfs/CID&arg=/wide')
  if (way.startsWith('files/rm?arg=/wide/new')) paths.push('files/write?arg=/wide/new&create=true')
  return paths
}

/** What an operation writes. */
const contentOf = (way: string): Buffer | undefined =>
  way.startsWith('files/write') ? Buffer.from('x') : undefined

/** Makes a DAG, and reads and changes it in every way: operations, or paths of the gateway, with `CID` for its root. */
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

/** A way whose path repeats a name, in few characters. */
function shortened(way: string): string {
  return way.replace(/(?:a\/){2,}/, (names) => `a/ (${names.length / 2} times)`)
}
