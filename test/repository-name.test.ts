// Names of repositories: how they are parsed, and how they translate to paths of a host.
import { describe, expect, it } from 'vitest'
import {
  hostOf,
  splitRepositoryName,
  toHostPath,
  toRepositoryName,
} from '../src/contract/repository-name.ts'
import { ownerOf } from '../src/domain/pull-request.ts'

const deepPath = `${Array.from({ length: 20 }, (_, level) => `g${level}`).join('/')}/name`

describe('a repository name', () => {
  it.each([
    ['acme/shop', { owner: 'acme', repo: 'shop', host: null }],
    ['acme:web/shop', { owner: 'acme:web', repo: 'shop', host: null }],
    ['acme:web:eu/shop.js', { owner: 'acme:web:eu', repo: 'shop.js', host: null }],
    ['acme/shop@gitlab', { owner: 'acme', repo: 'shop', host: 'gitlab' }],
    ['acme:web/shop@GitLab', { owner: 'acme:web', repo: 'shop', host: 'gitlab' }],
    ['acme/shop@work-2', { owner: 'acme', repo: 'shop', host: 'work-2' }],
  ])('is split: %s', (name, parts) => expect(splitRepositoryName(name)).toEqual(parts))

  it.each([
    'acme',
    'acme/',
    '/shop',
    'a/b/c',
    'a:b',
    ':a/b',
    'a:/b',
    'a::b/c',
    'a:../b',
    'a:.git/b',
    '.a/b',
    'a/b:c',
    'a/..',
    'a/.git',
    'a/b@',
    'a/b@7',
    'a/b@git lab',
    'a/b@git/lab',
    'a/b@x@y',
    'a@x/b',
    'a/..@x',
    'a/.git@x',
    `a/${'b'.repeat(101)}`,
    `${'a:'.repeat(250)}a/b`,
  ])('is malformed: %s', (name) => expect(splitRepositoryName(name)).toBeUndefined())

  it.each([
    ['acme/shop', null, 'acme/shop'],
    ['acme/web/eu/shop', null, 'acme:web:eu/shop'],
    ['acme/shop', 'gitlab', 'acme/shop@gitlab'],
    [deepPath, 'gitlab', `${deepPath.replaceAll('/', ':').replace(/:name$/, '/name')}@gitlab`],
  ])('is the path %s of the host %s and back', (path, host, name) => {
    expect(toRepositoryName(path, host)).toBe(name)
    expect(toHostPath(name)).toBe(path)
    expect(hostOf(name)).toBe(host)
  })

  it.each(['acme', '', '/', 'a//b', 'a:b/c', 'a/b@x', '../b', 'a/../b', 'a/.git', 'a/b '])(
    'does not exist for the path %s',
    (path) => expect(toRepositoryName(path)).toBeUndefined(),
  )
})

describe('the owner who shares a budget', () => {
  it.each([
    ['Acme/shop', 'acme'],
    ['acme:web/shop', 'acme'],
    ['acme:web:eu/shop@GitLab', 'acme@gitlab'],
    ['acme/shop@gitlab', 'acme@gitlab'],
    ['acme/shop@4711', 'acme'],
  ])('of %s is %s', (repo, owner) => expect(ownerOf(repo)).toBe(owner))
})
