// Which parameter each argument of a call is taken for, before and after a change of the parameters. Pure.
import { quoteName } from './graph-locations.ts'
import type { Argument, Parameter } from './parameter-lists.ts'

/** Why a call that fitted doesn't any more. */
export interface ArgumentMismatch {
  /** What the call does, for example: passes `at` by name. */
  readonly passes: string
  /** What is wrong with that now. */
  readonly problem: string
  /** It is still a call that a program can run, with arguments in wrong places. */
  readonly stillRuns: boolean
}

type BoundParameters = readonly Parameter[]

/** Says what a call that fitted does wrong now; undefined where it fits still, did not before, or nobody can tell. */
export function findArgumentMismatch(
  passed: readonly Argument[],
  before: readonly Parameter[],
  now: readonly Parameter[],
  takesNames: boolean,
): ArgumentMismatch | undefined {
  const was = bindArguments(passed, before, takesNames)
  if (!Array.isArray(was)) return undefined
  const is = bindArguments(passed, now, takesNames)
  return Array.isArray(is) ? findMoved(passed, was, is, now) : (is as ArgumentMismatch)
}

/** The parameter of each argument, or what is wrong. */
function bindArguments(
  passed: readonly Argument[],
  parameters: readonly Parameter[],
  takesNames: boolean,
): BoundParameters | ArgumentMismatch {
  const places = parameters.filter(({ by }) => by === 'either' || by === 'position')
  const rest = parameters.find(({ by }) => by === 'rest')
  const namedRest = parameters.find(({ by }) => by === 'namedRest')
  const bound: Parameter[] = []
  for (const [index, { name, text }] of passed.entries()) {
    const byName = parameters.find(
      (each) => each.name === name && (each.by === 'either' || each.by === 'name'),
    )
    const parameter = name === null ? (places[index] ?? rest) : (byName ?? namedRest)
    if (parameter === undefined)
      return name === null ? describeSurplus(passed, places) : describeUnknown(name)
    const mark = /^(ref|out)\s/.exec(text)?.[1] ?? ''
    if (parameter.mark !== '' && mark !== parameter.mark) return describeUnmarked(text, parameter)
    if (bound.includes(parameter) && parameter !== rest && parameter !== namedRest)
      return describeTwice(parameter)
    bound.push(parameter)
  }
  const missing = parameters.find((parameter) => parameter.isRequired && !bound.includes(parameter))
  return missing !== undefined && takesNames ? describeMissing(missing) : bound
}

function describeSurplus(
  passed: readonly Argument[],
  places: readonly Parameter[],
): ArgumentMismatch {
  const count = passed.filter(({ name }) => name === null).length
  const most = places.length === 0 ? 'none' : `only ${places.length}`
  return {
    passes: `passes ${count} by position`,
    problem: `${most} can be passed so now`,
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

/** An argument that is taken for another parameter, while its own is still there under its name. */
function findMoved(
  passed: readonly Argument[],
  was: BoundParameters,
  is: BoundParameters,
  now: readonly Parameter[],
): ArgumentMismatch | undefined {
  const moved = passed.flatMap(({ name, text }, index) => {
    const [before, after] = [was[index]!, is[index]!]
    const isOther =
      name === null && before.name !== after.name && before.by !== 'rest' && after.by !== 'rest'
    return isOther ? [{ text, before, after }] : []
  })
  // What is called like its new parameter was right there from the beginning.
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

/** Whether the last name in an argument's text says much the same as a parameter's. */
function resemblesName(text: string, name: string): boolean {
  const plain = (word: string) => word.toLowerCase().replaceAll(/[_$]/g, '')
  return (text.match(/[\p{L}_$][\w$]*/gu) ?? []).some((word) => plain(word).includes(plain(name)))
}
