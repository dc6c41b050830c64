// The format in which each platform's CI system reads findings from a job's output.
import { githubAnnotations } from './github/workflow-commands.ts'
import type { AnnotationFormat } from './platform.ts'

export const annotationFormats: Readonly<Record<string, AnnotationFormat>> = {
  github: githubAnnotations,
}
