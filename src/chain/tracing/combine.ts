import type { Awaitable } from '../types.js'
import type { ExecutionTracer } from './tracer.js'

/** One tracer that tells several, in their order; it asks for steps only if one of them does. */
export function combineTracers(tracers: readonly ExecutionTracer[]): ExecutionTracer {
  const [first] = tracers
  if (first !== undefined && tracers.length === 1) return first
  const stepping = tracers.filter(({ step }) => step !== undefined)
  return {
    begin: async (message) => {
      for (const tracer of tracers) await tracer.begin?.(message)
    },
    enter: (frame) => settled(tracers.map((tracer) => tracer.enter?.(frame))),
    exit: (end) => settled(tracers.map((tracer) => tracer.exit?.(end))),
    fault: (step, failure) => settled(tracers.map((tracer) => tracer.fault?.(step, failure))),
    log: (log) => {
      for (const tracer of tracers) tracer.log?.(log)
    },
    refund: (gas) => {
      for (const tracer of tracers) tracer.refund?.(gas)
    },
    tick: () => {
      for (const tracer of tracers) tracer.tick?.()
    },
    end: async (gasUsed) => {
      for (const tracer of tracers) await tracer.end?.(gasUsed)
    },
    ...(stepping.length > 0 && {
      step: (step) => settled(stepping.map((tracer) => tracer.step?.(step))),
    }),
  }
}

/** A promise only if one of several tracers has given one. */
function settled(answers: readonly Awaitable<void>[]): Promise<void> | undefined {
  const pending = answers.filter((answer) => answer instanceof Promise)
  return pending.length === 0 ? undefined : Promise.all(pending).then(() => undefined)
}
