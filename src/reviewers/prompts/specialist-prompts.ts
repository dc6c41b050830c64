// The prompts of the specialists, each for one field of review.
import type { PromptPart } from './prompt-part.ts'

/** Increment it with every change of the texts below. */
export const specialistPromptsVersion = 1

export type ReviewField = 'correctness' | 'security' | 'performance' | 'tests' | 'maintainability'

const tasks: Readonly<Record<ReviewField, PromptPart>> = {
  correctness: {
    text:
      'Your task: correctness alone. Follow each changed path with concrete values: boundaries ' +
      'and empty input, null and missing keys, wrong operators and conditions, errors that are ' +
      'swallowed or left half-way, state that two callers change at once, data that is lost or ' +
      'written twice, units, time zones and encodings. Look up who calls what was changed, and ' +
      'whether they still get what they expect; and whether what is called does what the change ' +
      'believes.',
    reason:
      'Most faults that matter are here, and most of those lie between the change and code that ' +
      'it does not show: so callers and callees are named.',
  },
  security: {
    text:
      'Your task: security alone. Ask of each changed input who controls it, and where it ends: ' +
      'queries, commands, paths, addresses, markup, deserialised objects, regular expressions, ' +
      'logs. Ask of each changed action who may do it, and whether that is checked on every way ' +
      'to it. Look for secrets in code, weakened checks, and limits that are missing where a ' +
      'stranger can make the service work. Name the attacker, what they send and what they gain; ' +
      'without all three there is no finding.',
    reason:
      'Security findings without a possible attack are noise, after which people ignore the ' +
      'others.',
  },
  performance: {
    text:
      'Your task: performance alone. Look for work that grows with data where it did not before: ' +
      'a query or a request for each item of a list, nested loops over collections that grow, a ' +
      'whole table or file in memory, missing limits, indexes and pages, blocking calls where ' +
      'others wait, caches that never let go. Say how large the input is in use and what it then ' +
      'costs; where it stays small, there is no finding.',
    reason: 'A slow line that runs ten times a day harms nobody.',
  },
  tests: {
    text:
      'Your task: tests alone. Look for changed behaviour that can break without any test ' +
      'failing, where it matters, and check first with the tools that no test reaches it; for ' +
      'tests that this change weakened, removed or skipped; for tests that can not fail, that ' +
      'test a mock of their own, or that depend on time, order or luck. Name the case that is ' +
      'missing, with its input and what should come out. Ask for no tests of trivial code, and ' +
      'for none only to have more.',
    reason:
      'That tests are missing can be said of every change; it helps only where the case is ' +
      'named.',
  },
  maintainability: {
    text:
      'Your task: maintainability alone. Look for what will make the next change go wrong: the ' +
      'same decision now made in two places, a copy of what the code base already has, code that ' +
      'this change left without use, a comment or a name that says the opposite of what the code ' +
      'does now, a rule of the code base around it that is broken here, a public interface ' +
      'changed without its documentation. Point to the other place, with the tools. Everything ' +
      'here is minor unless something breaks.',
    reason: 'Without the other place such findings are matters of taste.',
  },
}

/** Fields are ordered by importance. */
export const specialistFields = Object.keys(tasks) as readonly ReviewField[]

/** Returns the task that ends the specialist's message. */
export function specialistTask(field: ReviewField): PromptPart {
  return tasks[field]
}
