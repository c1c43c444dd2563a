import { readFiles } from '../api/files.js'
import { useLive } from '../api/useLive.js'
import { Badge } from '../parts/badge.js'
import { Json } from '../parts/code.js'
import { count, formatBytes, formatNumber } from '../parts/format.js'
import { Hash } from '../parts/hash.js'
import { Facts, Panel } from '../parts/panel.js'
import { Loaded } from '../parts/state.js'
import type { Column } from '../parts/virtualTable.js'
import { VirtualTable } from '../parts/virtualTable.js'
import { navigate } from '../shell/router.js'
import type { CidFacts } from './cid.js'
import { parseCid } from './cid.js'
import type { DagLink, DagNode } from './dag.js'
import { readNode } from './dag.js'
import { DagGraph } from './dagGraph.js'
import { readPinType } from './pins.js'
import { PinButton } from './pinButton.js'
import { Preview } from './preview.js'

const columns: readonly Column<DagLink>[] = [
  { title: 'Name', width: 'minmax(4rem, 1fr)', cell: ({ name }) => name },
  { title: 'CID', width: 'minmax(7.5rem, 1fr)', cell: ({ cid }) => <Hash value={cid} kind="cid" /> },
  {
    title: 'DAG size',
    width: '5.5rem',
    align: 'right',
    cell: ({ size }) => (size === undefined ? '' : formatBytes(size)),
  },
]

/** Maximum number of links of a node that is shown as JSON. */
const maxLinksAsJson = 1000

/** A DAG node with its links, a drawing of the DAG below it, and its content. */
export function DagView({ text }: { text: string }) {
  const opened = useLive(() => open(text), [text], ['files'])
  return <Loaded from={opened}>{(value) => <OpenedNode text={text} opened={value} />}</Loaded>
}

function OpenedNode({ text, opened: { node, facts, pin, stat } }: { text: string; opened: Opened }) {
  return (
    <div class="stack">
      <Panel
        title={node.kind}
        actions={
          <>
            {pin !== undefined && <Badge tone="accent">{`pinned: ${pin}`}</Badge>}
            <PinButton cid={text} pin={pin} />
          </>
        }
      >
        <div class="columns">
          <Facts
            rows={[
              ['CID', <Hash value={text} whole />],
              ['Codec', node.codec],
              ['Version', `CIDv${facts.version}`],
            ]}
          />
          <Facts
            rows={[
              ['Block', formatBytes(stat.block)],
              ['Links', formatNumber(node.links.length)],
              stat.dag === undefined
                ? ['Whole DAG', 'incomplete']
                : ['Whole DAG', `${formatBytes(stat.dag.Size)} in ${count(stat.dag.NumBlocks, 'block')}`],
            ]}
          />
        </div>
      </Panel>
      {node.links.length > 0 && (
        <Panel title="DAG">
          <DagGraph key={text} root={node} />
        </Panel>
      )}
      {node.links.length > 0 && (
        <VirtualTable
          label="Links"
          columns={columns}
          count={node.links.length}
          row={(index) => node.links[index]}
          rowKey={({ name, cid }) => `${name}/${cid}`}
          onOpen={({ cid }) => navigate(`files/dag/${cid}`)}
        />
      )}
      {node.content !== undefined && node.links.length <= maxLinksAsJson && (
        <details>
          <summary>As DAG-JSON</summary>
          <Json value={node.content} label="Node" />
        </details>
      )}
      <Preview cid={text} name="" />
    </div>
  )
}

interface DagStat {
  Size: number
  NumBlocks: number
}

interface Opened {
  node: DagNode
  facts: CidFacts
  pin: string | undefined
  /** Size of the block in bytes, and of its whole DAG unless blocks are missing. */
  stat: { block: number; dag: DagStat | undefined }
}

async function open(text: string): Promise<Opened> {
  const facts = parseCid(text)
  if (facts === undefined) throw new Error(`${text} is not a CID`)
  const [node, pin, block, dag] = await Promise.all([
    readNode(text),
    readPinType(text),
    readFiles<{ Size: number }>('block/stat', { arg: text }),
    readFiles<{ DagStats: DagStat[] }>('dag/stat', { arg: text, progress: false }).catch(() => undefined),
  ])
  return { node, facts, pin, stat: { block: block.Size, dag: dag?.DagStats[0] } }
}
