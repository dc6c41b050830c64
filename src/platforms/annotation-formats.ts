// Findings as the platforms' CI systems take them from a job's output, one format a platform.
import { githubAnnotations } from './github/workflow-commands.ts'
import type { AnnotationFormat } from './platform.ts'

/** By the platform's id. */
export const annotationFormats: Readonly<Record<string, AnnotationFormat>> = {
  github: githubAnnotations,
}
