import type { ComponentChildren } from 'preact'
import './plainTable.css'

/** A column with its title and cells. */
export interface PlainColumn<Row> {
  title: string
  align?: 'right'
  /** Whether the cells are row headers. */
  isHeader?: boolean
  /** Whether only screen readers get the title, for columns of buttons. */
  isTitleHidden?: boolean
  cell: (row: Row) => ComponentChildren
}

/** A table that draws all its rows and scrolls horizontally if it is too wide. */
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
