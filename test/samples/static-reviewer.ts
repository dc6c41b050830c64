// The static reviewer with a parser of its own, which reviews as the service does.
import { ownerOf } from '../../src/domain/pull-request.ts'
import { createRuleParser } from '../../src/reviewers/create-rule-parser.ts'
import type { Reviewer } from '../../src/reviewers/reviewer.ts'
import {
  createStaticReviewer as createReviewer,
  expectInspections,
} from '../../src/reviewers/static-reviewer.ts'

type Options = Parameters<typeof createRuleParser>[0] & Parameters<typeof createReviewer>[1]

export function createStaticReviewer(options: Options = {}): Reviewer & AsyncDisposable {
  const parser = createRuleParser(options)
  return {
    name: 'static',
    review(change, context, signal) {
      const syntax = parser.forReview(ownerOf(change.pullRequest.repo))
      expectInspections(syntax, change)
      return createReviewer(syntax, options).review(change, context, signal)
    },
    [Symbol.asyncDispose]: () => parser[Symbol.asyncDispose](),
  }
}
