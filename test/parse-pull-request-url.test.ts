// Addresses of pull requests of all code hosts.
import { expect, it } from 'vitest'
import { parsePullRequestUrl } from '../src/platforms/parse-pull-request-url.ts'

const url = 'https://host.example/git'

it.each([
  ['pull', '/o/r/pull/7', 'o/r', 7],
  ['pull', '/o/r/pull/7/files', 'o/r', 7],
  ['pull', '/o/pull/pull/7', 'o/pull', 7],
  ['pulls', '/o/r/pulls/7', 'o/r', 7],
  ['-/merge_requests', '/a/b/c/-/merge_requests/7/diffs', 'a:b/c', 7],
])('reads one with %s: %s', (pullRequestPath, path, repo, number) => {
  expect(parsePullRequestUrl(url + path, { url, pullRequestPath })).toEqual({ repo, number })
})

it.each([['/o/r/issues/7'], ['/o/r/pull/x'], ['/o/r/pull/7x'], ['/o/pull/7'], ['/o/../r/pull/7']])(
  'reads no other: %s',
  (path) => {
    expect(parsePullRequestUrl(url + path, { url, pullRequestPath: 'pull' })).toBeUndefined()
  },
)

it('reads none of another host, or outside of the folder of this one', () => {
  const platform = { url, pullRequestPath: 'pull' }
  expect(parsePullRequestUrl('https://other.example/git/o/r/pull/7', platform)).toBeUndefined()
  expect(parsePullRequestUrl('https://host.example/o/r/pull/7', platform)).toBeUndefined()
})
