// Formats findings as workflow commands, which GitHub Actions shows as annotations.
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions
import type { AnnotatedFinding, AnnotationFormat } from '../platform.ts'

const commands = { critical: 'error', moderate: 'warning', minor: 'notice' } as const

export const githubAnnotations: AnnotationFormat = {
  finding: renderFinding,
  message: (level, text) => `::${level}::${escapeData(text)}\n`,
}

/**
 * Builds the workflow command for a finding. A finding on deleted lines is shown at the file,
 * because the new file doesn't have the lines.
 */
function renderFinding(finding: AnnotatedFinding): string {
  const { path, side, startLine, endLine, severity, category, title, body } = finding
  const lines = side === 'LEFT' ? [] : [`line=${startLine}`, `endLine=${endLine}`]
  const properties = [
    `file=${escapeProperty(path)}`,
    ...lines,
    `title=${escapeProperty(`${severity}, ${category}`)}`,
  ]
  return `::${commands[severity]} ${properties.join(',')}::${escapeData(`${title}.\n${body}`)}\n`
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
