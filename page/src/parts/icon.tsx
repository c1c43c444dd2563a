/** Outlines on a 16 by 16 grid, drawn for this page. */
const shapes = {
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  check: 'M3 8.5 6.5 12 13 4.5',
  close: 'M4 4l8 8M12 4l-8 8',
  sun: 'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1',
  moon: 'M13 9.6A5.5 5.5 0 0 1 6.4 3a5.5 5.5 0 1 0 6.6 6.6z',
  play: 'M5 3.5v9l7-4.5z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  repeat: 'M3 8a5 5 0 0 1 8.6-3.5L13 6M13 2.5V6H9.5M13 8a5 5 0 0 1-8.6 3.5L3 10M3 13.5V10h3.5',
  upload: 'M8 11V3M4.5 6.5 8 3l3.5 3.5M2.5 11v2.5h11V11',
  folder: 'M2 4h4l1.5 2H14v7H2z',
  file: 'M4 2h5l3.5 3.5V14H4zM9 2v3.5h3.5',
  trash: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.5 9h6l.5-9',
  pin: 'M6 2h4l-.5 4.5L12 9H4l2.5-2.5zM8 9v5',
  arrow: 'M3 8h10M9 4l4 4-4 4',
  down: 'M4 6l4 4 4-4',
  warning: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 11.6v.4',
  key: 'M10 2.5a3.5 3.5 0 1 1-2.6 5.8L3 12.7V14h2v-1.5h1.5V11H8V9.6A3.5 3.5 0 0 1 10 2.5z',
} as const

/** Name of an icon. */
export type IconName = keyof typeof shapes

/** A decorative icon, hidden from screen readers. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={shapes[name]} />
    </svg>
  )
}
