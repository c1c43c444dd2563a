import type { ComponentType } from 'preact'
import { useLayoutEffect, useState } from 'preact/hooks'
import { Failure, Loading } from '../parts/state.js'

/** A component whose script loads when it is first shown. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined
  return function Lazy(props: Props) {
    const [failure, setFailure] = useState<string>()
    const [, setReady] = useState(loaded !== undefined)
    useLayoutEffect(() => {
      if (loaded !== undefined) return
      load().then(
        (component) => {
          loaded = component
          setReady(true)
        },
        (error: unknown) => setFailure(String(error)),
      )
    }, [])
    if (failure !== undefined) return <Failure message={failure} />
    if (loaded === undefined) return <Loading />
    const Loaded = loaded
    return <Loaded {...props} />
  }
}
