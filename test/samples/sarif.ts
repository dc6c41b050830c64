// SARIF logs of an invented tool.

interface Written {
  readonly ruleId?: string
  readonly uri?: string
  readonly line?: number
  readonly endLine?: number
  readonly text?: string
  readonly more?: object
}

/** Makes a result on line 2 of `a.js` unless given. */
export function result({
  ruleId = 'R1',
  uri = 'a.js',
  line = 2,
  endLine,
  text,
  more,
}: Written = {}) {
  const region = { startLine: line, ...(endLine === undefined ? {} : { endLine }) }
  return {
    ruleId,
    level: 'error',
    message: { text: text ?? `${ruleId} says no. Read the rule.` },
    locations: [{ physicalLocation: { artifactLocation: { uri }, region } }],
    ...more,
  }
}

/** Makes a log of a tool with these results. */
export function logOf(
  results: readonly object[],
  { rules = [], run = {}, tool = 'Lint Pro' }: Partial<LogParts> = {},
) {
  return {
    version: '2.1.0',
    runs: [{ tool: { driver: { name: tool, rules } }, results, ...run }],
  }
}

interface LogParts {
  readonly rules: readonly object[]
  readonly run: object
  readonly tool: string
}
