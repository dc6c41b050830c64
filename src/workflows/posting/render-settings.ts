// Renders the settings that apply to a pull request as Markdown, for everyone who can read it.
import type { AppContext } from '../../context.ts'
import type { Access } from '../../platforms/platform.ts'
import {
  formatOrigin,
  formatSetting,
  type ShownSettings,
  showSettings,
} from '../showing/show-settings.ts'
import { codeSpan, escapeLine } from './escape-markdown.ts'

const maxRows = 100
const maxValueLength = 300

/**
 * Reads the settings at the base of a pull request and renders them. Values of another repository
 * appear only if that repository is public, because readers of this one may not see it.
 *
 * @param baseSha the tip of the base branch
 */
export async function renderSettings(
  ctx: Pick<AppContext, 'platform' | 'organizationSettings'>,
  access: Access,
  baseSha: string,
  signal: AbortSignal,
): Promise<string> {
  const shown = await showSettings(ctx, access, baseSha, signal)
  return [...renderValues(shown), ...renderProblems(shown)].join('\n')
}

function renderValues({ settings }: ShownSettings): string[] {
  const set = settings.filter(({ file }) => file !== null)
  if (set.length === 0) return ['All settings have their defaults.']
  const rows = set.slice(0, maxRows).map((setting) => {
    const { directory, key, file } = setting
    const value = formatSetting(setting)
    const shownValue = file?.isVisible === false ? value : inCell(value.slice(0, maxValueLength))
    const scope = directory === '' ? '' : ` in ${inCell(`${directory}/`)}`
    return `| ${inCell(key)}${scope} | ${shownValue} | ${inCell(formatOrigin(file))} |`
  })
  const more = set.length - rows.length
  return [
    '| Setting | Value | From |',
    '|---|---|---|',
    ...rows,
    '',
    ...(more > 0 ? [`${more} more values are not shown.`] : []),
    'All other settings have their defaults.',
  ]
}

const inCell = (text: string) => codeSpan(text, { inCell: true })

function renderProblems({ files, notes }: ShownSettings): string[] {
  const lines = files.flatMap((file) => {
    const name = codeSpan(formatOrigin(file))
    const hidden = file.problemCount - file.problems.length
    return [
      ...file.problems.map((problem) => `${name}: ${escapeLine(problem, { maxLength: 300 })}.`),
      ...(hidden > 0 ? [`${name} has problems, which only its readers see.`] : []),
      ...file.withheld.map(
        (key) => `${name}: ${codeSpan(key)} does not apply to public repositories.`,
      ),
    ]
  })
  const all = [...lines, ...notes]
  return all.length === 0 ? [] : ['', ...all.slice(0, maxRows).map((line) => `- ${line}`)]
}
