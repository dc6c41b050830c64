// Findings as the platforms' CI systems take them from a job's output, one format a platform.
import { renderGithubAnnotation } from './github/annotations.ts'
import type { RenderAnnotation } from './platform.ts'

/** By the platform's id. */
export const annotationFormats: Readonly<Record<string, RenderAnnotation>> = { github: renderGithubAnnotation }
