// One line with the source of a memory: user, file, review or commit, and its age.
import type { ReactNode } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Time } from '../../components/time.tsx'
import { trustLabels } from './memory-labels.ts'
import { PullRequestLink } from './pull-request-link.tsx'
import type { Memory } from './repository-queries.ts'

type ProvenanceFields = Pick<Memory, 'trust' | 'provenance' | 'updated_at'>

export function MemoryProvenance({ repo, memory }: { repo: string; memory: ProvenanceFields }) {
  const [name, meaning] = trustLabels[memory.trust]
  return (
    <>
      <Badge tone={memory.trust === 'person' ? 'good' : 'plain'} title={meaning}>
        {name}
      </Badge>
      <span className="text-muted">
        {describeProvenance(repo, memory.provenance)} <Time at={memory.updated_at} />
      </span>
    </>
  )
}

function describeProvenance(repo: string, provenance: Memory['provenance']): ReactNode {
  const { source, commit, file, line, pull_request: number, user, model } = provenance
  return (
    <>
      {user && `${user} `}
      {file && (
        <>
          <code>{line === undefined ? file : `${file}:${line}`}</code>{' '}
        </>
      )}
      {model && `written by ${model} `}
      {number !== undefined && (
        <>
          review of <PullRequestLink repo={repo} number={number} />{' '}
        </>
      )}
      {source === 'scan' && 'scan '}
      {commit && (
        <>
          at <code title={commit}>{commit.slice(0, 7)}</code>,
        </>
      )}
    </>
  )
}
