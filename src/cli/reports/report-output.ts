// Writes the report to stdout in the requested format.
import { readPackageInfo } from '../../lib/package-info.ts'
import type { ComparisonSummary, Report } from './report.ts'

/** Receives the parts of the report while the review runs. */
export interface ReportOutput {
  start(compared: ComparisonSummary): void
  /** Reports a step that ended. */
  step(name: string, durationMs: number): void
  end(report: Report): void
}

/** Opens stdout for a format. Only the code of that format is loaded. */
export async function openOutput(format: string): Promise<ReportOutput> {
  const write = (text: string) => void process.stdout.write(text)
  // A reader such as `head` may close the pipe early.
  process.stdout.on('error', () => undefined)
  const atEnd = (render: (report: Report) => string): ReportOutput => ({
    start() {},
    step() {},
    end: (report) => write(render(report)),
  })
  switch (format) {
    case 'pretty': {
      const { createPaint, renderPretty } = await import('./pretty-report.ts')
      return atEnd((report) => renderPretty(report, createPaint(process.stdout)))
    }
    case 'json':
      return atEnd((await import('./json-report.ts')).renderJson)
    case 'sarif': {
      const { renderSarif } = await import('./sarif-report.ts')
      const program = await readPackageInfo()
      return atEnd((report) => renderSarif(report, program))
    }
    case 'ndjson': {
      const { renderEnd, renderStart, renderStep } = await import('./json-report.ts')
      return {
        start: (compared) => write(renderStart(compared)),
        step: (name, durationMs) => write(renderStep(name, durationMs)),
        end: (report) => write(renderEnd(report)),
      }
    }
    default: {
      const { annotationFormats } = await import('../../platforms/annotation-formats.ts')
      const { renderAnnotations } = await import('./annotations-report.ts')
      return atEnd((report) => renderAnnotations(report, annotationFormats[format]!))
    }
  }
}
