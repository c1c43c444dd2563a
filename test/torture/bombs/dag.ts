import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TorturedNode } from '../node.js'
import { askFiles } from '../requests.js'
import { refusalOf, sendFile, type Bomb } from './bomb.js'

/** Content that an operation stores as a DAG. */
export interface Dag {
  /** Operation that stores it. */
  path: string
  body: () => Buffer
  /** Root CID from the operation's answer. */
  cidOf: (answer: string) => string
}

/** Maximum header bytes of an answer, in which the gateway lists the CIDs of all nodes of a path. */
const MAX_HEAD_LENGTH = 2 ** 20

/** Sends a GET request to the gateway. Returns the message of a refusal. */
export function sendToGateway(
  url: string,
  path: string,
  signal: AbortSignal,
  headers: Record<string, string> = {},
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const request = get(
      new URL(path, url),
      { headers, maxHeaderSize: MAX_HEAD_LENGTH, signal },
      (response) => {
        text(response).then(
          (body) => resolve(refusalOf({ status: response.statusCode ?? 0, text: body })),
          reject,
        )
      },
    )
    // http.get rejects with an AbortError; callers expect the reason of the signal.
    request.on('error', (error) => reject(signal.aborted ? (signal.reason as Error) : error))
  })
}

export const EMPTY_DIRECTORY = 'bafybeiczsscdsbs7ffqz55asqdf3smv6klcw3gofszvwlyarci47bgf354'

/** Returns the operations that must precede another one, to read or change a DAG. */
function preparationOf(operation: string): string[] {
  if (/^(pin\/(ls|rm|verify)|repo\/gc)/.test(operation)) return ['pin/add?arg=CID']
  if (operation.startsWith('pin/add')) return ['pin/rm?arg=CID']
  if (operation.includes(EMPTY_DIRECTORY)) return ['files/mkdir?arg=/empty&parents=true&cid-version=1']
  if (!operation.includes('arg=/wide')) return []
  const paths = ['files/rm?arg=/wide&recursive=true&force=true']
  if (!operation.startsWith('files/cp')) paths.push('files/cp?arg=/ipfs/CID&arg=/wide')
  if (operation.startsWith('files/rm?arg=/wide/new')) paths.push('files/write?arg=/wide/new&create=true')
  return paths
}

/** Content to upload with an operation. */
const contentOf = (operation: string): Buffer | undefined =>
  operation.startsWith('files/write') ? Buffer.from('x') : undefined

/** Makes bombs that store a DAG, and read and change it by each operation or gateway path, with `CID` for its root. */
export function withDag(name: string, dag: Dag, operations: readonly string[]): Bomb[] {
  const roots = new WeakMap<TorturedNode, string>()
  const isStored = async (node: TorturedNode, cid: string): Promise<boolean> =>
    (await sendFile(node, `block/stat?arg=${cid}&offline=true`)) === undefined
  async function ensure(node: TorturedNode): Promise<string> {
    let cid = roots.get(node)
    if (cid === undefined || !(await isStored(node, cid))) {
      cid = dag.cidOf((await askFiles(node, dag.path, dag.body())).text)
      roots.set(node, cid)
    }
    return cid
  }
  return [
    { name: `${dag.path}: ${name}`, run: (node, signal) => sendFile(node, dag.path, dag.body(), signal) },
    ...operations.map((operation): Bomb => ({
      name: `${shortened(operation)}: ${name}`,
      async prepare(node) {
        const cid = await ensure(node)
        for (const path of preparationOf(operation)) {
          await sendFile(node, path.replace('CID', cid), contentOf(path))
        }
      },
      run(node, signal) {
        const path = operation.replace('CID', roots.get(node) ?? '')
        return operation.startsWith('/')
          ? sendToGateway(node.ready.ipfsUrl, path, signal)
          : sendFile(node, path, contentOf(operation), signal)
      },
    })),
  ]
}

/** Abbreviates a path that repeats a name. */
function shortened(operation: string): string {
  return operation.replace(/(?:a\/){2,}/, (names) => `a/ (${names.length / 2} times)`)
}
