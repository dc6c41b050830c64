// Which repositories the globs of a context source match.
import { expect, it } from 'vitest'
import { createRepositoryMatcher } from '../src/tools/sources/match-repository.ts'

it.each([
  [['**'], 'acme/shop', true],
  [['**'], 'acme:web/shop@work', true],
  [['acme/*'], 'Acme/shop', true],
  [['ACME/*'], 'acme/shop', true],
  [['acme/*'], 'other/shop', false],
  [['acme/*'], 'acme/shop@work', false],
  [['acme/*@work'], 'acme/shop', false],
  [['acme/*@work'], 'acme/shop@work', true],
  [['acme/*@Work'], 'acme/shop@work', true],
  [['acme/*@work'], 'acme/shop@other', false],
  [['acme/**@work'], 'acme:web:eu/shop@work', true],
  [['acme/*@work'], 'acme:web/shop@work', false],
  [['**@work'], 'acme/shop', false],
])('%o and %s match or not: %s', (globs, repo, isMatch) => {
  expect(createRepositoryMatcher(globs)(repo)).toBe(isMatch)
})
