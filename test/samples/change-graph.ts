// Hand-written change graphs: what reviews get to know of a change, for tests of what they make of it.

import type {
  CallSite,
  ChangedSymbol,
  ChangeGraph,
  RelatedPullRequest,
  UsedDefinition,
} from '../../src/domain/change-graph.ts'
import type { AppliedMemory } from '../../src/domain/memory.ts'

/** A graph that knows what is given, and nothing else. */
export function graphOf(parts: Partial<ChangeGraph>): ChangeGraph {
  const { callers = [], tests = [] } = parts
  return {
    commit: 'c'.repeat(40),
    isSearched: false,
    symbols: [],
    callers,
    definitions: [],
    brokenImports: [],
    tests,
    untested: [],
    history: [],
    related: [],
    memories: [],
    counts: {
      callers: callers.length,
      callingFiles: new Set(callers.map(({ path }) => path)).size,
      reachedFiles: 0,
      tests: tests.length,
    },
    notes: [],
    ...parts,
  }
}

export function symbolOf(parts: Partial<ChangedSymbol> = {}): ChangedSymbol {
  return {
    path: 'src/users.ts',
    name: 'loadUser',
    kind: 'function',
    startLine: 1,
    endLine: 3,
    change: 'body',
    exported: true,
    parametersBefore: { least: 1, most: 1 },
    parameters: { least: 1, most: 1 },
    signatureBefore: null,
    signature: null,
    ...parts,
  }
}

export function callerOf(parts: Partial<CallSite> = {}): CallSite {
  return {
    symbol: 0,
    path: 'src/login.ts',
    line: 4,
    within: 'handleLogin',
    text: '  const user = loadUser(id)',
    kind: 'call',
    arguments: 1,
    inChange: false,
    isTest: false,
    confidence: 0.95,
    ...parts,
  }
}

export function definitionOf(parts: Partial<UsedDefinition> = {}): UsedDefinition {
  return {
    path: 'src/rates.ts',
    line: 1,
    endLine: 3,
    name: 'rateOf',
    signature: 'export function rateOf(country: string): number',
    usedAt: { path: 'src/users.ts', line: 2 },
    confidence: 0.95,
    ...parts,
  }
}

export function relatedOf(parts: Partial<RelatedPullRequest> = {}): RelatedPullRequest {
  return {
    number: 12,
    title: 'Load users in batches',
    author: 'bob',
    state: 'open',
    verdict: null,
    paths: ['src/users.ts'],
    symbols: [],
    findings: [],
    ...parts,
  }
}

export function memoryOf(parts: Partial<AppliedMemory> = {}): AppliedMemory {
  return {
    id: '0198c0de-0000-7000-8000-000000000001',
    type: 'decision',
    text: 'Users are loaded by id only.',
    path: null,
    trust: 'person',
    source: null,
    ...parts,
  }
}
