import { useEffect, useRef } from 'preact/hooks'
import { readAll } from '../api/rpc.js'
import { useLive } from '../api/useLive.js'
import { count, formatClock, formatNumber, shorten } from '../parts/format.js'
import { Panel } from '../parts/panel.js'
import { currentNetwork, link } from '../shell/router.js'
import type { Block } from './wire.js'
import { toNumber } from './wire.js'
import './branches.css'

/** Blocks that left the canonical chain together; see `/_standin/reorganisations`. */
export interface Reorganisation {
  /** Milliseconds since 1970. */
  time: number
  /** Oldest first. */
  removed: { number: number; hash: string; parentHash: string; transactions: number }[]
}

/** A block with its position in the drawing. */
interface Placed {
  number: number
  hash: string
  parentHash: string
  transactions: number
  /** 0 is the canonical chain; other lanes are above it. */
  lane: number
}

/** Number of heights to draw. */
const shownHeights = 24

const stepX = 62
const stepY = 40
const margin = 34

/** The latest blocks and removed branches, each block at its height and connected to its parent. */
export function Branches(props: {
  head: Block
  marks: readonly (readonly [string, Block | undefined])[]
  reorganisations: readonly Reorganisation[]
}) {
  const { head, marks, reorganisations } = props
  const headNumber = toNumber(head.number)
  const first = Math.max(0, headNumber - shownHeights + 1)
  const { value: canonical = [] } = useLive(
    () => readBlocks(first, headNumber),
    [head.hash, currentNetwork.value],
  )
  const scroller = useRef<HTMLDivElement>(null)
  const placed = place(canonical, reorganisations, first)
  const lanes = 1 + placed.reduce((most, { lane }) => Math.max(most, lane), 0)
  const last = placed.reduce((most, { number }) => Math.max(most, number), headNumber)
  const width = margin * 2 + (last - first) * stepX
  const height = lanes * stepY + 40
  const x = (number: number): number => margin + (number - first) * stepX
  const y = (lane: number): number => (lanes - 1 - lane) * stepY + 22
  const byHash = new Map(placed.map((block) => [block.hash, block]))
  useEffect(() => {
    scroller.current?.scrollTo({ left: width })
  }, [width])
  if (headNumber === 0 && reorganisations.length === 0) return null
  return (
    <Panel title="Branches" class="branches">
      <div class="scroll-x" ref={scroller} tabIndex={0} role="group" aria-label="Blocks near the head">
        <svg
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          role="group"
          aria-label="Branches"
        >
          {placed.map(({ hash, parentHash, number, lane }) => {
            const parent = byHash.get(parentHash)
            if (parent === undefined) return null
            const [x1, y1, x2, y2] = [x(parent.number), y(parent.lane), x(number), y(lane)]
            return (
              <path
                key={hash}
                class={lane === 0 ? 'edge' : 'edge orphan'}
                d={`M${x1} ${y1}C${x1 + stepX / 2} ${y1} ${x2 - stepX / 2} ${y2} ${x2} ${y2}`}
              />
            )
          })}
          {placed.map((block) => {
            const { hash, number, lane, transactions } = block
            const label = `Block ${number}${lane === 0 ? '' : ', removed by a reorganisation'}, ${count(transactions, 'transaction')}`
            return (
              <a key={hash} href={link(`chain/block/${hash}`)} aria-label={label}>
                <title>{`${label}\n${hash}`}</title>
                <rect
                  class={lane === 0 ? 'block' : 'block orphan'}
                  x={x(number) - 22}
                  y={y(lane) - 12}
                  width={44}
                  height={24}
                  rx={6}
                />
                <text x={x(number)} y={y(lane) + 4}>
                  {shortNumber(number)}
                </text>
              </a>
            )
          })}
          {marks.map(([name, block], row) =>
            block !== undefined && toNumber(block.number) >= first ? (
              <text
                key={name}
                class="mark"
                x={x(toNumber(block.number))}
                y={y(0) + 25 + 11 * overlap(marks, row)}
              >
                {name}
              </text>
            ) : null,
          )}
        </svg>
      </div>
      {reorganisations.length > 0 && (
        <ul class="reorganisations">
          {reorganisations
            .slice(-5)
            .reverse()
            .map(({ time, removed }) => (
              <li key={`${time}-${removed[0]?.hash}`}>
                <time>{formatClock(time)}</time> {count(removed.length, 'block')} replaced from{' '}
                {removed[0] !== undefined && (
                  <a href={link(`chain/block/${removed[0].hash}`)}>
                    {`${formatNumber(removed[0].number)} (${shorten(removed[0].hash)})`}
                  </a>
                )}
              </li>
            ))}
        </ul>
      )}
    </Panel>
  )
}

/** Number of marks of the same block above this one. */
function overlap(marks: readonly (readonly [string, Block | undefined])[], row: number): number {
  return marks.slice(0, row).filter(([, block]) => block?.number === marks[row]?.[1]?.number).length
}

async function readBlocks(first: number, last: number): Promise<Block[]> {
  const numbers = Array.from({ length: last - first + 1 }, (_, place) => first + place)
  const blocks = await readAll<Block>(
    numbers.map((number) => ['eth_getBlockByNumber', `0x${number.toString(16)}`, false]),
  )
  return blocks.filter((block) => block !== undefined && block !== null)
}

/** Assigns each branch the lowest lane that is free at its heights, newest branches first. */
function place(
  canonical: readonly Block[],
  reorganisations: readonly Reorganisation[],
  first: number,
): Placed[] {
  const placed: Placed[] = canonical.map(({ number, hash, parentHash, transactions }) => ({
    number: toNumber(number),
    hash,
    parentHash,
    transactions: transactions.length,
    lane: 0,
  }))
  const known = new Set(placed.map(({ hash }) => hash))
  const taken = new Set<string>()
  for (const { removed } of [...reorganisations].reverse()) {
    const blocks = removed.filter(({ number, hash }) => number >= first && !known.has(hash))
    if (blocks.length === 0) continue
    let lane = 1
    while (blocks.some(({ number }) => taken.has(`${lane} ${number}`))) lane += 1
    for (const { number, hash, parentHash, transactions } of blocks) {
      taken.add(`${lane} ${number}`)
      known.add(hash)
      placed.push({ number, hash, parentHash, transactions, lane })
    }
  }
  return placed
}

/** Abbreviates a long number to its last digits; its neighbours share the others. */
function shortNumber(number: number): string {
  const text = String(number)
  return text.length > 5 ? `…${text.slice(-4)}` : text
}
