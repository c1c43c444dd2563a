import type { ComponentChildren } from 'preact'
import './plainTable.css'

/** A column: its title, and what a cell shows. */
export interface PlainColumn<Row> {
  title: string
  align?: 'right'
  /** Whether the cells name their rows. */
  isHeader?: boolean
  /** Whether the title is for screen readers alone, as that of a column of buttons. */
  isTitleHidden?: boolean
  cell: (row: Row) => ComponentChildren
}

/** A table that draws all of its rows, and scrolls sideways where it is wider than the screen. */
export function PlainTable<Row>(props: {
  label: string
  columns: readonly PlainColumn<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row, index: number) => string | number
}) {
  const { label, columns, rows, rowKey } = props
  return (
    <div class="scroll-x" tabIndex={0} role="group" aria-label={label}>
      <table class="plain">
        <thead>
          <tr>
            {columns.map(({ title, align, isTitleHidden }) => (
              <th key={title} scope="col" class={align}>
                {isTitleHidden ? <span class="visually-hidden">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={rowKey(row, index)}>
              {columns.map(({ title, align, isHeader, cell }) =>
                isHeader ? (
                  <th key={title} scope="row" class={align}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={title} class={align}>
                    {cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
