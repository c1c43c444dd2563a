import { Graph, layout } from '@dagrejs/dagre'
import { useMemo } from 'preact/hooks'
import { useLive } from '../api/useLive.js'
import { shorten } from '../parts/format.js'
import { Loaded } from '../parts/state.js'
import { link } from '../shell/router.js'
import type { DagNode, DagPart } from './dag.js'
import { readPart } from './dag.js'
import './dagGraph.css'

const boxWidth = 150
const boxHeight = 44

/** Drawing of a DAG near its root, from left to right, with a link for each node. */
export function DagGraph({ root }: { root: DagNode }) {
  const part = useLive(() => readPart(root), [root.cid])
  return <Loaded from={part}>{(value) => <Drawing part={value} />}</Loaded>
}

function Drawing({ part }: { part: DagPart }) {
  const { boxes, lines, width, height } = useMemo(() => arrange(part), [part])
  return (
    <div class="scroll-x dag" tabIndex={0} role="group" aria-label="Drawing of the DAG">
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="group" aria-label="DAG">
        {lines.map(({ path, name, x, y }, place) => (
          <g key={place}>
            <path class="edge" d={path} />
            {name !== '' && (
              <text class="edge-name" x={x} y={y}>
                {shorten(name, 14, 6)}
                <title>{name}</title>
              </text>
            )}
          </g>
        ))}
        {boxes.map(({ node, x, y }) => {
          const more = part.omitted.get(node.cid)
          return (
            <a key={node.cid} href={link(`files/dag/${node.cid}`)}>
              <rect
                class={`box ${node.codec === 'raw' ? 'leaf' : ''}`}
                x={x - boxWidth / 2}
                y={y - boxHeight / 2}
                width={boxWidth}
                height={boxHeight}
                rx={6}
              >
                <title>{node.cid}</title>
              </rect>
              <text class="kind" x={x} y={y - 4}>
                {node.kind}
                {more !== undefined && ` +${more}`}
              </text>
              <text x={x} y={y + 13}>
                {shorten(node.cid, 6, 8)}
              </text>
            </a>
          )
        })}
      </svg>
    </div>
  )
}

interface Point {
  x: number
  y: number
}

/** Curve through points that is horizontal at each of them. */
function drawCurve([start, ...more]: readonly Point[]): string {
  let last = start ?? { x: 0, y: 0 }
  let path = `M${last.x} ${last.y}`
  for (const point of more) {
    const middle = (last.x + point.x) / 2
    path += `C${middle} ${last.y} ${middle} ${point.y} ${point.x} ${point.y}`
    last = point
  }
  return path
}

function arrange({ nodes, edges }: DagPart) {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: 'LR', nodesep: 14, ranksep: 110, marginx: 10, marginy: 14 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { cid } of nodes) graph.setNode(cid, { width: boxWidth, height: boxHeight })
  edges.forEach(({ from, to, name }, place) => graph.setEdge(from, to, { name }, String(place)))
  layout(graph)
  const boxes = nodes.map((node) => {
    const { x = 0, y = 0 } = graph.node(node.cid) as { x?: number; y?: number }
    return { node, x, y }
  })
  const lines = graph.edges().map((edge) => {
    const { points = [], name } = graph.edge(edge) as { points?: Point[]; name: string }
    const [from, to] = [graph.node(edge.v), graph.node(edge.w)] as [Point, Point]
    // Lines between neighbouring levels need no bend: they cannot cross a box.
    const bends = points.length > 3 ? points.slice(1, -1) : []
    const end = { x: to.x - boxWidth / 2, y: to.y }
    const path = drawCurve([{ x: from.x + boxWidth / 2, y: from.y }, ...bends, end])
    return { path, name, x: end.x - 6, y: end.y - 5 }
  })
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number }
  return { boxes, lines, width, height }
}
