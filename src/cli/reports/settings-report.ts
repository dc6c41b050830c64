// Renders the settings of a repository for people or as JSON.

import { toSafeJson, toTerminalLine } from '../../lib/terminal-text.ts'
import {
  formatOrigin,
  formatSetting,
  type ShownSetting,
  type ShownSettings,
  settingsOfPath,
} from '../../workflows/showing/show-settings.ts'

interface SettingsReport extends ShownSettings {
  readonly commit: string
  /** The path whose settings are shown; null for the whole repository. */
  readonly path: string | null
}

export function renderSettingsReport(report: SettingsReport, format: 'pretty' | 'json'): string {
  const settings = report.path === null ? report.settings : settingsOfPath(report, report.path)
  const shown = { ...report, settings }
  return format === 'json' ? `${toSafeJson(describe(shown), 2)}\n` : renderPretty(shown)
}

function describe({ commit, path, settings, files, notes }: SettingsReport) {
  return {
    commit,
    path,
    settings: settings.map(({ directory, key, value, file }) => ({
      directory,
      key,
      value,
      file: file && { repo: file.repo, path: file.path },
    })),
    files: files.map(({ repo, path: filePath, directory, problems, withheld }) => ({
      repo,
      path: filePath,
      directory,
      problems,
      withheld,
    })),
    notes,
  }
}

function renderPretty({ settings, files, notes }: SettingsReport): string {
  const rows = settings.map((setting) => [
    nameOf(setting),
    toTerminalLine(formatSetting(setting)),
    toTerminalLine(formatOrigin(setting.file)),
  ])
  const widthOf = (column: number) =>
    Math.min(Math.max(...rows.map((row) => row[column]!.length)), maxWidth)
  const [names, values] = [widthOf(0), widthOf(1)]
  const table = rows.map(
    ([name = '', value = '', origin = '']) =>
      `${name.padEnd(names)}  ${value.padEnd(values)}  ${origin}`,
  )
  const problems = files.flatMap((file) => [
    ...file.problems.map((problem) => `${formatOrigin(file)}: ${problem}.`),
    ...file.withheld.map(
      (key) => `${formatOrigin(file)}: ${key} does not apply to public repositories.`,
    ),
  ])
  const more = [...problems, ...notes].map(toTerminalLine)
  return `${[...table, ...(more.length === 0 ? [] : ['', ...more])].join('\n')}\n`
}

const maxWidth = 48

function nameOf({ directory, key }: ShownSetting): string {
  return toTerminalLine(directory === '' ? key : `${directory}/: ${key}`)
}
