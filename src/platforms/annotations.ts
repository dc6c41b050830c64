// Findings as the platforms' CI systems take them from a job's output, one format a platform.
import type { Finding } from '../domain/finding.ts'
import { renderGithubAnnotation } from './github/annotations.ts'

/** What an annotation shows of a finding. */
export type AnnotatedFinding = Pick<
  Finding,
  'path' | 'side' | 'startLine' | 'endLine' | 'severity' | 'category' | 'title' | 'body'
>

/** A line of output that stands for a finding, with its line end. */
export type RenderAnnotation = (finding: AnnotatedFinding) => string

/** By the platform's id. */
export const annotationFormats: Readonly<Record<string, RenderAnnotation>> = { github: renderGithubAnnotation }
