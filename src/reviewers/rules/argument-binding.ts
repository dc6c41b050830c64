// Binds the arguments of a call to parameters, before and after the parameters changed.
import { quoteName } from './graph-locations.ts'
import type { Argument, Parameter } from './shapes.ts'

/** Why a call that used to fit its function doesn't fit any more. */
export interface ArgumentMismatch {
  /** What the call does, as a clause without a subject: passes `at` by name. */
  readonly passes: string
  /** Why that is wrong now, as a clause. */
  readonly problem: string
  /** Whether the program still runs the call, with arguments in the wrong places. */
  readonly stillRuns: boolean
}

type BoundParameters = readonly Parameter[]

/**
 * Finds out why a call that used to fit the parameters doesn't fit them any more.
 *
 * @param takesNames whether the language can pass arguments by name. For other languages, a missing
 *   argument isn't reported here: the caller compares the number of arguments.
 * @returns undefined where the call still fits, or didn't fit before either
 */
export function findArgumentMismatch(
  passed: readonly Argument[],
  before: readonly Parameter[],
  now: readonly Parameter[],
  takesNames: boolean,
): ArgumentMismatch | undefined {
  const boundBefore = bindArguments(passed, before, takesNames)
  if ('problem' in boundBefore) return undefined
  const boundNow = bindArguments(passed, now, takesNames)
  if ('problem' in boundNow) return boundNow
  return findMoved(passed, boundBefore, boundNow, now)
}

/** Returns the parameter of each argument, or the first mismatch. */
function bindArguments(
  passed: readonly Argument[],
  parameters: readonly Parameter[],
  takesNames: boolean,
): BoundParameters | ArgumentMismatch {
  const positional = parameters.filter(({ by }) => by === 'either' || by === 'position')
  const rest = parameters.find(({ by }) => by === 'rest')
  const bound: Parameter[] = []
  for (const [index, { name, text }] of passed.entries()) {
    const parameter =
      name === null ? (positional[index] ?? rest) : findNamedParameter(parameters, name)
    if (parameter === undefined) {
      return name === null ? describeSurplus(passed, positional) : describeUnknown(name)
    }
    if (lacksMark(text, parameter)) return describeUnmarked(text, parameter)
    if (bound.includes(parameter) && !takesSeveral(parameter)) return describeTwice(parameter)
    bound.push(parameter)
  }
  const missing = parameters.find((parameter) => parameter.isRequired && !bound.includes(parameter))
  return missing !== undefined && takesNames ? describeMissing(missing) : bound
}

function findNamedParameter(parameters: readonly Parameter[], name: string): Parameter | undefined {
  const byName = parameters.find(
    (parameter) =>
      parameter.name === name && (parameter.by === 'either' || parameter.by === 'name'),
  )
  return byName ?? parameters.find(({ by }) => by === 'namedRest')
}

/** C# requires `ref` and `out` before the argument too. */
function lacksMark(text: string, { mark }: Parameter): boolean {
  return mark !== '' && mark !== /^(ref|out)\s/.exec(text)?.[1]
}

function takesSeveral({ by }: Parameter): boolean {
  return by === 'rest' || by === 'namedRest'
}

function describeSurplus(
  passed: readonly Argument[],
  positional: readonly Parameter[],
): ArgumentMismatch {
  const count = passed.filter(({ name }) => name === null).length
  const limit = positional.length === 0 ? 'none' : `only ${positional.length}`
  return {
    passes: `passes ${count} by position`,
    problem: `${limit} can be passed so now`,
    stillRuns: false,
  }
}

function describeUnknown(name: string): ArgumentMismatch {
  return {
    passes: `passes ${quoteName(name)} by name`,
    problem: 'no parameter is taken by that name now',
    stillRuns: false,
  }
}

function describeUnmarked(text: string, { name, mark }: Parameter): ArgumentMismatch {
  return {
    passes: `passes ${quoteName(text)}`,
    problem: `${quoteName(name)} is passed with \`${mark}\` now`,
    stillRuns: false,
  }
}

function describeTwice({ name }: Parameter): ArgumentMismatch {
  const passes = `passes ${quoteName(name)} by name`
  return {
    passes,
    problem: 'another argument is taken for it by its position now',
    stillRuns: false,
  }
}

function describeMissing({ name }: Parameter): ArgumentMismatch {
  return {
    passes: `passes nothing for ${quoteName(name)}`,
    problem: 'it must be passed now',
    stillRuns: false,
  }
}

/** Finds an argument that binds to another parameter while its former one still exists by name. */
function findMoved(
  passed: readonly Argument[],
  boundBefore: BoundParameters,
  boundNow: BoundParameters,
  now: readonly Parameter[],
): ArgumentMismatch | undefined {
  const moved = passed.flatMap(({ name, text }, index) => {
    const before = boundBefore[index]!
    const after = boundNow[index]!
    const takesRest = before.by === 'rest' || after.by === 'rest'
    const isMoved = name === null && before.name !== after.name && !takesRest
    return isMoved ? [{ text, before, after }] : []
  })
  // An argument named like its new parameter shows that the change corrects the names.
  if (moved.some(({ text, after }) => resemblesName(text, after.name))) return undefined
  const first = moved.find(({ before }) => now.some(({ name }) => name === before.name))
  if (first === undefined) return undefined
  const { text, before, after } = first
  return {
    passes: `passes ${quoteName(text)} for ${quoteName(before.name)}`,
    problem: `it is taken for ${quoteName(after.name)} now`,
    stillRuns: true,
  }
}

/** Whether a name in an argument's text contains a parameter's name, without case and `_`. */
function resemblesName(text: string, name: string): boolean {
  const normalize = (word: string) => word.toLowerCase().replaceAll(/[_$]/g, '')
  const wanted = normalize(name)
  const words = text.match(/[\p{L}_$][\w$]*/gu) ?? []
  return words.some((word) => normalize(word).includes(wanted))
}
