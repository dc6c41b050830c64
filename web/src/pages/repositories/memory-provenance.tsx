// A sentence about where a memory comes from: a person, a file, a review or a scan, and its age.
import type { ReactNode } from 'react'
import { Time } from '../../components/time.tsx'
import { PullRequestLink } from './pull-request-link.tsx'
import type { Memory } from './repository-queries.ts'

type ProvenanceFields = Pick<Memory, 'trust' | 'provenance' | 'updated_at'>

export function MemoryProvenance({ repo, memory }: { repo: string; memory: ProvenanceFields }) {
  return (
    <span className="text-muted">
      {describeOrigin(memory)} {describeBasis(repo, memory.provenance)}{' '}
      <Time at={memory.updated_at} />.
    </span>
  )
}

function describeOrigin({ trust, provenance: { user, model } }: ProvenanceFields): string {
  if (trust === 'person') return `Written by ${user ?? 'a person'}`
  if (trust === 'model') return `Written by ${model ?? 'a model'}`
  return trust === 'repository' ? 'Taken' : 'Computed'
}

function describeBasis(repo: string, provenance: Memory['provenance']): ReactNode {
  const { source, commit, file, line, pull_request: number } = provenance
  if (source === 'person') return null
  return (
    <>
      from {file !== undefined && <code>{line === undefined ? file : `${file}:${line}`}</code>}
      {file === undefined && number === undefined && 'the code'}
      {number !== undefined && (
        <>
          {file !== undefined && ' in '}the review of{' '}
          <PullRequestLink repo={repo} number={number} />
        </>
      )}
      {commit && (
        <>
          {' '}
          at <code title={commit}>{commit.slice(0, 7)}</code>
        </>
      )}
      ,
    </>
  )
}
