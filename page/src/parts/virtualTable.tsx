import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import './virtualTable.css'

/** A column with its title, grid width and cells. */
export interface Column<Row> {
  title: string
  /** CSS grid track size, such as `8rem` or `minmax(8rem, 1fr)`. */
  width: string
  /** Whether it is hidden on narrow screens. */
  wideOnly?: boolean
  align?: 'right'
  cell: (row: Row) => ComponentChildren
}

/** A table that draws only the visible rows. */
export interface VirtualTableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  count: number
  /** A row; undefined while it is being read. */
  row: (index: number) => Row | undefined
  rowKey: (row: Row) => string | number
  selected?: string | number | undefined
  onOpen?: (row: Row) => void
  /** Receives the visible range, to read its rows. */
  onRange?: (first: number, last: number) => void
  tone?: (row: Row) => string | undefined
  /** In pixels. */
  rowHeight?: number
}

/** Height of the header row with its borders, in pixels. */
const headHeight = 40

/** Assumed height of the body before its layout, in pixels. */
const estimatedHeight = 480

/** Rows to draw above and below the visible ones, once these are drawn. */
const overscan = 8

/** See {@link VirtualTableProps}. */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { columns, count, rowHeight = 36 } = props
  const { scroller, first, last, measure } = useWindow(count, rowHeight)
  const [focused, setFocused] = useState(0)
  useLayoutEffect(() => {
    if (last >= 0) props.onRange?.(first, last)
  }, [first, last, count])

  const focus = (index: number): void => {
    const target = Math.max(0, Math.min(count - 1, index))
    setFocused(target)
    const body = scroller.current
    if (body === null) return
    const lowest = (target + 1) * rowHeight - body.clientHeight
    body.scrollTop = Math.max(lowest, Math.min(target * rowHeight, body.scrollTop))
    measure()
    requestAnimationFrame(() =>
      body.querySelector<HTMLElement>(`[data-index="${target}"]`)?.focus({ preventScroll: true }),
    )
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1)
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -count, End: count }[
      event.key
    ]
    if (step !== undefined) {
      event.preventDefault()
      focus(focused + step)
    } else if (
      event.key === 'Enter' &&
      event.target instanceof HTMLElement &&
      event.target.dataset['index']
    ) {
      const row = props.row(focused)
      if (row !== undefined) props.onOpen?.(row)
    }
  }
  const wide = columns.map(({ width }) => width).join(' ')
  const narrow = columns
    .filter(({ wideOnly }) => !wideOnly)
    .map(({ width }) => width)
    .join(' ')
  return (
    <div
      class="table"
      role="grid"
      aria-label={props.label}
      aria-rowcount={count + 1}
      style={{ '--wide': wide, '--narrow': narrow, '--whole': `${headHeight + count * rowHeight}px` }}
    >
      <div role="rowgroup">
        <div class="table-head" role="row" aria-rowindex={1}>
          {columns.map(({ title, wideOnly, align }) => (
            <div key={title} role="columnheader" class={cellClass(wideOnly, align)}>
              {title}
            </div>
          ))}
        </div>
      </div>
      <div class="table-body" role="rowgroup" ref={scroller} onKeyDown={onKeyDown}>
        <div role="presentation" class="table-space" style={{ height: `${count * rowHeight}px` }}>
          {Array.from({ length: last - first + 1 }, (_, place) => {
            const index = first + place
            const row = props.row(index)
            const key = row === undefined ? `row-${index}` : props.rowKey(row)
            return (
              <div
                key={key}
                role="row"
                aria-rowindex={index + 2}
                aria-selected={row !== undefined && props.selected === key}
                data-index={index}
                tabIndex={
                  index === Math.min(focused, count - 1) || (focused < first && index === first) ? 0 : -1
                }
                class={`table-row ${(row !== undefined && props.tone?.(row)) || ''}`}
                style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
                onFocus={() => setFocused(index)}
                onClick={(event) => {
                  if (row === undefined || (event.target as Element).closest('a, button') !== null) return
                  props.onOpen?.(row)
                }}
              >
                {columns.map(({ title, wideOnly, align, cell }) => (
                  <div key={title} role="gridcell" class={cellClass(wideOnly, align)}>
                    {row === undefined ? <span class="placeholder" /> : cell(row)}
                  </div>
                ))}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** Determines the rows to draw from the body's scroll position and size. */
function useWindow(count: number, rowHeight: number) {
  const scroller = useRef<HTMLDivElement>(null)
  const [{ top, height, around }, setView] = useState({ top: 0, height: estimatedHeight, around: 0 })
  const measure = (): void => {
    const body = scroller.current
    if (body === null) return
    const scrolled = Math.floor(body.scrollTop / rowHeight) * rowHeight
    const seen = { top: scrolled, height: body.clientHeight, around: overscan }
    setView((before) =>
      before.top === seen.top && before.height === seen.height && before.around === overscan ? before : seen,
    )
  }
  useLayoutEffect(() => {
    const body = scroller.current
    if (body === null) return undefined
    // First called with the first layout. Reading the size now would force a layout.
    const observer = new ResizeObserver(measure)
    observer.observe(body)
    body.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      body.removeEventListener('scroll', measure)
    }
  }, [])
  const onScreen = Math.ceil(height / rowHeight) + 1
  const firstOnScreen = Math.max(0, Math.min(top / rowHeight, count - onScreen))
  return {
    scroller,
    first: Math.max(0, firstOnScreen - around),
    last: Math.min(count, firstOnScreen + onScreen + around) - 1,
    /** Looks at where it is scrolled to now. */
    measure,
  }
}

function cellClass(wideOnly: boolean | undefined, align: 'right' | undefined): string {
  return `${wideOnly ? 'wide-only ' : ''}${align ?? ''}`
}
