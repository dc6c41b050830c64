// The comparison with GitHub's published descriptions itself finds what is wrong.
import examples from '@octokit/webhooks-examples' with { type: 'json' }
import { describe, expect, it } from 'vitest'
import type { Exchange } from '../fakes/forge/http.ts'
import { findAnswerProblems, findPayloadProblems, findRequestProblems } from './description.ts'

type Payload = Record<string, unknown>

const exchange = (
  path: string,
  more: Partial<Exchange> & { request?: unknown; answer?: unknown },
): Exchange => ({
  method: 'POST',
  path,
  query: '',
  status: 201,
  requestBody: more.request === undefined ? '' : JSON.stringify(more.request),
  responseBody: more.answer === undefined ? '' : JSON.stringify(more.answer),
  ...more,
})

const checks = '/repos/acme/shop/check-runs'
const run = { name: 'umpire/review', head_sha: '0'.repeat(40) }

describe("GitHub's description", () => {
  it('refuses requests with a field, type, length or parameter that it does not have', () => {
    const problems = (request: unknown, query = '') =>
      findRequestProblems(exchange(checks, { request, query }))
    expect(problems({ ...run, output: { title: 'T', summary: 'S' } })).toEqual([])
    expect(problems({ name: 'x' })).toEqual(["/ must have required property 'head_sha'"])
    expect(problems({ ...run, colour: 'red' })).toEqual(['the body has an unknown field colour'])
    expect(problems({ ...run, name: 1 })).toEqual(['/name must be string'])
    const long = { title: 'T', summary: 'x'.repeat(65_536) }
    expect(problems({ ...run, output: long })).toEqual([
      '/output/summary must NOT have more than 65535 characters',
    ])
    expect(problems(run, 'page=1')).toEqual(['the query has no parameter page'])
    const list = exchange(`/repos/acme/shop/pulls`, { method: 'GET', query: 'state=shut' })
    expect(findRequestProblems(list)).toEqual([
      expect.stringMatching(/^the parameter state isn't one of open,closed,all/),
    ])
    expect(findRequestProblems(exchange('/repos/acme/shop/nonsense', {}))).toHaveLength(1)
  })

  it('refuses answers with a missing field, another type or an unknown status', () => {
    const token = { token: 'ghs_x', expires_at: '2026-01-02T03:04:05Z' }
    const path = '/app/installations/1/access_tokens'
    const problems = (answer: unknown, status = 201) =>
      findAnswerProblems(exchange(path, { answer, status }))
    expect(problems(token)).toEqual([])
    expect(problems({ token: 'x' })).toEqual(["/ must have required property 'expires_at'"])
    expect(problems({ ...token, permissions: { contents: 'some' } })).toEqual([
      '/permissions/contents must be equal to one of the allowed values read,write',
    ])
    expect(problems(token, 200)).toEqual(["status 200 isn't described"])
    const byNumber = exchange('/repositories/7/languages', {
      method: 'GET',
      status: 200,
      answer: 1,
    })
    expect(findAnswerProblems(byNumber)).toEqual(['/ must be object'])
  })

  it('refuses payloads that differ from the recorded ones', () => {
    const events = examples as unknown as readonly { name: string; examples: Payload[] }[]
    const recorded = events.find(({ name }) => name === 'pull_request')!.examples
    const labeled = recorded.find(({ action }) => action === 'labeled')!
    expect(findPayloadProblems('pull_request', labeled)).toEqual([])
    const { sender: _, ...anonymous } = labeled
    expect(findPayloadProblems('pull_request', anonymous)).toEqual([
      "/ must have required property 'sender'",
    ])
    expect(findPayloadProblems('pull_request', { ...labeled, extra: 1 })).toEqual([
      '/ must NOT have additional properties extra',
    ])
    expect(findPayloadProblems('nonsense', {})).toHaveLength(1)
  })
})
