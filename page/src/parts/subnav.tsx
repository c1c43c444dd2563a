import { link } from '../shell/router.js'
import { announceFailure } from './announcer.js'
import { readFields } from './form.js'
import './subnav.css'

/** Links to the sections of a view, with the current one marked. */
export function Subnav(props: {
  label: string
  /** Route prefix of the sections, such as `chain`; an empty section is the prefix itself. */
  base: string
  places: readonly (readonly [place: string, title: string])[]
  shown: string
}) {
  return (
    <div class="subnav" role="group" aria-label={props.label}>
      {props.places.map(([place, title]) => (
        <a
          key={place}
          href={link(place === '' ? props.base : `${props.base}/${place}`)}
          aria-current={props.shown === place ? 'page' : undefined}
        >
          {title}
        </a>
      ))}
    </div>
  )
}

/** A field that opens the item entered in it. */
export function SearchField(props: {
  label: string
  placeholder: string
  /** Opens the item. @throws Error if the text is invalid */
  find: (text: string) => void | Promise<void>
}) {
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    await props.find(readFields(event)('wanted'))
  }
  return (
    <form role="search" class="search" onSubmit={(event) => void submit(event).catch(announceFailure)}>
      <input
        type="search"
        name="wanted"
        aria-label={props.label}
        placeholder={props.placeholder}
        spellcheck={false}
      />
    </form>
  )
}
