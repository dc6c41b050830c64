// The static reviewer with a parser of its own, which reviews as the service does.
import { createSyntaxParser } from '../../src/code/syntax-parser.ts'
import { ownerOf } from '../../src/domain/pull-request.ts'
import type { Reviewer } from '../../src/reviewers/reviewer.ts'
import {
  createStaticReviewer as createReviewer,
  expectInspections,
  ruleInspector,
} from '../../src/reviewers/static-reviewer.ts'

type Options = Parameters<typeof createSyntaxParser>[0] & Parameters<typeof createReviewer>[1]

export function createStaticReviewer(options: Options = {}): Reviewer & AsyncDisposable {
  const parser = createSyntaxParser({ ...options, inspector: ruleInspector })
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
