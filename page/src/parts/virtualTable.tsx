import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks'
import './virtualTable.css'

/** A column: its title, its width in the grid, and what a cell shows. */
export interface Column<Row> {
  title: string
  /** A track size of CSS grid, as `8rem` or `minmax(8rem, 1fr)`. */
  width: string
  /** Whether it is left out on narrow screens. */
  wideOnly?: boolean
  align?: 'right'
  cell: (row: Row) => ComponentChildren
}

/** A table that draws the rows on screen alone, however many there are. */
export interface VirtualTableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  count: number
  /** A row; undefined while it is being read. */
  row: (index: number) => Row | undefined
  rowKey: (row: Row) => string | number
  selected?: string | number | undefined
  onOpen?: (row: Row) => void
  /** Told of the rows that are on screen, so that they can be read. */
  onRange?: (first: number, last: number) => void
  tone?: (row: Row) => string | undefined
  /** Pixels. */
  rowHeight?: number
}

/** Pixels of the titles, with the lines around them. */
const headHeight = 40

/** See {@link VirtualTableProps}. */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { columns, count, rowHeight = 36 } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [, draw] = useReducer((n: number) => n + 1, 0)
  const [focused, setFocused] = useState(0)
  const [virtualizer] = useState(
    () => new Virtualizer<HTMLDivElement, Element>(options(props.count, rowHeight)),
  )
  function options(rows: number, height: number) {
    return {
      count: rows,
      getScrollElement: () => scroller.current,
      estimateSize: () => height,
      overscan: 12,
      initialRect: { width: 800, height: 600 },
      observeElementRect,
      observeElementOffset,
      scrollToFn: elementScroll,
      onChange: () => draw(undefined),
    }
  }
  virtualizer.setOptions(options(count, rowHeight))
  useLayoutEffect(() => virtualizer._didMount(), [])
  useLayoutEffect(() => virtualizer._willUpdate())
  const items = virtualizer.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? -1
  useLayoutEffect(() => {
    if (last >= 0) props.onRange?.(first, last)
  }, [first, last, count])

  const focus = (index: number): void => {
    const target = Math.max(0, Math.min(count - 1, index))
    setFocused(target)
    virtualizer.scrollToIndex(target)
    requestAnimationFrame(() =>
      scroller.current
        ?.querySelector<HTMLElement>(`[data-index="${target}"]`)
        ?.focus({ preventScroll: true }),
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
        <div role="presentation" class="table-space" style={{ height: `${virtualizer.getTotalSize()}px` }}>
          {items.map(({ index, start }) => {
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
                style={{ transform: `translateY(${start}px)`, height: `${rowHeight}px` }}
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

function cellClass(wideOnly: boolean | undefined, align: 'right' | undefined): string {
  return `${wideOnly ? 'wide-only ' : ''}${align ?? ''}`
}
