import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatClock, formatNumber } from '../parts/format.js'
import { changeQuery } from '../shell/router.js'
import { theme } from '../shell/theme.js'

/** Requests in spans of equal length. */
export interface Buckets {
  /** Start of the first span, in milliseconds since 1970. */
  start: number
  /** Length of a span in milliseconds. */
  span: number
  count: number[]
  failed: number[]
  /** Duration of the slowest request in milliseconds. */
  slowest: number[]
}

const height = 96

/** Plots the spans as bars and the slowest requests as a line. Dragging selects a time range to filter. */
export function TimelinePlot({ buckets }: { buckets: Buckets }) {
  const holder = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const shown = theme.value
  useEffect(() => {
    const element = holder.current
    if (element === null) return undefined
    plot.current = new uPlot(options(element), [[], [], [], []], element)
    const observer = new ResizeObserver(() => {
      plot.current?.setSize({ width: Math.max(200, element.clientWidth), height })
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.current?.destroy()
    }
  }, [shown])
  useEffect(() => plot.current?.setData(series(buckets)), [buckets, shown])
  return <div ref={holder} />
}

function series({ start, span, count, failed, slowest }: Buckets): uPlot.AlignedData {
  // Without requests there is no time to label.
  if (count.every((number) => number === 0)) return [[], [], [], []]
  const times = count.map((_, index) => (start + (index + 0.5) * span) / 1000)
  return [times, count, failed, slowest]
}

function options(element: HTMLElement): uPlot.Options {
  const style = getComputedStyle(element)
  const colour = (name: string): string => style.getPropertyValue(name).trim()
  const bars = uPlot.paths.bars?.({ size: [0.8, 24], radius: 0.15 })
  const axis = {
    stroke: colour('--text-muted'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  }
  return {
    width: Math.max(200, element.clientWidth),
    height,
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { show: false } },
    select: { show: true, left: 0, top: 0, width: 0, height: 0 },
    scales: {
      x: { time: true },
      y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] },
      ms: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        values: (_plot, times, _axis, _space, step) =>
          times.map((time) => formatClock(time * 1000, { milliseconds: step < 1 })),
        space: 90,
        size: 24,
      },
      {
        ...axis,
        size: 44,
        space: 30,
        values: (_plot, values) =>
          values.map((value) => (Number.isInteger(value) ? formatNumber(value) : '')),
      },
    ],
    series: [
      {},
      {
        fill: colour('--bar'),
        stroke: colour('--bar'),
        width: 0,
        points: { show: false },
        ...(bars !== undefined && { paths: bars }),
      },
      {
        fill: colour('--bad'),
        stroke: colour('--bad'),
        width: 0,
        points: { show: false },
        ...(bars !== undefined && { paths: bars }),
      },
      { scale: 'ms', stroke: colour('--warn'), width: 1, points: { show: false } },
    ],
    hooks: { setSelect: [chooseRange] },
  }
}

function chooseRange(plot: uPlot): void {
  const { left, width } = plot.select
  if (width < 4) return
  const at = (pixels: number): string => String(Math.round(plot.posToVal(pixels, 'x') * 1000))
  changeQuery({ since: at(left), until: at(left + width) })
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
}
