// Renders the table of the settings of a repository from their schema.
import { describeSettings, type JsonSchema } from '../../src/config/settings-schema.ts'
import { renderTable } from './markdown-table.ts'

export function renderSettings(): string {
  return renderTable(['Key', 'Values', 'Default', 'Meaning'], listRows(describeSettings(), ''))
}

function listRows({ properties = {} }: JsonSchema, prefix: string): string[][] {
  return Object.entries(properties).flatMap(([name, setting]) => {
    const forms = listForms(setting)
    if (forms[0]?.properties !== undefined) return listRows(forms[0], `${prefix}${name}.`)
    const values = forms.map((form) => describeForm(form, forms)).join(', or ')
    const byDefault = setting.default === undefined ? "the service's" : showDefault(setting.default)
    return [[`\`${prefix}${name}\``, values, byDefault, setting.description ?? '']]
  })
}

/** Without null, which any key accepts. */
function listForms({ anyOf, ...schema }: JsonSchema): readonly JsonSchema[] {
  const forms = anyOf === undefined ? [schema] : anyOf.flatMap(listForms)
  return forms.filter(({ type }) => type !== 'null')
}

function describeForm(form: JsonSchema, forms: readonly JsonSchema[]): string {
  if (form.enum) return form.enum.map((word) => `\`${word}\``).join(', ')
  if (form.type === 'integer') return `${form.minimum} to ${form.maximum}`
  if (form.type !== 'array') return form.title ?? ''
  return forms.length === 1 ? '' : `a list of up to ${form.maxItems}`
}

function showDefault(value: unknown): string {
  if (value === null) return 'none'
  if (!Array.isArray(value)) return `\`${value}\``
  return value.length === 0 ? 'none' : value.map((item) => `\`${item}\``).join(', ')
}
