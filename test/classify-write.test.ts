// Which calls count against GitHub's limits for writes, and which for those that notify people.
import { expect, it } from 'vitest'
import { classifyWrite } from '../src/platforms/github/classify-write.ts'

const below = '/repos/octo/hello'

it.each([
  ['POST', `${below}/issues/1/comments`, 'notifying'],
  ['POST', `${below}/pulls/1/comments`, 'notifying'],
  ['POST', `${below}/pulls/1/comments/2/replies`, 'notifying'],
  ['POST', `${below}/pulls/1/reviews`, 'notifying'],
  ['PATCH', `${below}/issues/comments/2`, 'silent'],
  ['DELETE', `${below}/pulls/comments/2`, 'silent'],
  ['POST', `${below}/issues/comments/2/reactions`, 'silent'],
  ['POST', `${below}/check-runs`, 'silent'],
  ['POST', `${below}/statuses/main`, 'silent'],
  ['GET', `${below}/issues/1/comments`, null],
  ['POST', `${below}/hooks`, null],
  ['POST', '/app/installations/1/access_tokens', null],
] as const)('%s %s is %s', (method, path, expected) => {
  expect(classifyWrite({ method, path })).toBe(expected)
})

it('mutations of GraphQL are writes, and queries are not', () => {
  const classify = (query: string) => classifyWrite({ method: 'POST', path: '', body: { query } })
  expect(classify('mutation ($id: ID!) { resolve }')).toBe('silent')
  expect(classify('query ($owner: String!) { repository }')).toBe(null)
})
