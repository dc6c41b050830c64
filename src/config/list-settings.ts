// Lists the settings of several files by key, with the file that each value comes from.
import { listItems, type SettingsLayer } from './merge-settings.ts'
import { describeSettings, type JsonSchema } from './settings-schema.ts'

interface Instruction {
  readonly paths: readonly string[]
  readonly text: string
}

/** A value as it can be written in a file; null for the default of the service. */
export type SettingValue = string | number | boolean | readonly (string | Instruction)[] | null

interface ListedSetting<Layer extends SettingsLayer> {
  /** For example `policy.moderate`. */
  readonly key: string
  readonly value: SettingValue
  /** The layer that sets it; null for a default. */
  readonly layer: Layer | null
}

/**
 * Lists the settings that apply in a directory: every key once, and instructions once for each
 * layer that has some.
 *
 * @param layers those that apply there; farther ones come first
 */
export function listSettings<Layer extends SettingsLayer>(
  layers: readonly Layer[],
): ListedSetting<Layer>[] {
  return settingKeys.flatMap(({ key, byDefault }): ListedSetting<Layer>[] => {
    const setting = layers.filter(({ given }) => valueAt(given, key) !== undefined)
    const chosen = key === 'instructions' ? setting : setting.slice(-1)
    if (chosen.length === 0) return [{ key, value: byDefault, layer: null }]
    return chosen.map((layer) => ({
      key,
      value: normalize(valueAt(layer.given, key), Array.isArray(byDefault)),
      layer,
    }))
  })
}

interface SettingKey {
  readonly key: string
  readonly byDefault: SettingValue
}

const settingKeys = listKeys(describeSettings(), '')

function listKeys({ properties = {} }: JsonSchema, prefix: string): SettingKey[] {
  return Object.entries(properties).flatMap(([name, setting]) => {
    const mapping = [setting, ...(setting.anyOf ?? [])].find((form) => form.properties)
    const key = `${prefix}${name}`
    // The forms of an instruction are a text and a mapping.
    if (mapping !== undefined && name !== 'instructions') return listKeys(mapping, `${key}.`)
    return [{ key, byDefault: (setting.default ?? null) as SettingValue }]
  })
}

/** A key without a value counts as missing. */
function valueAt(given: object, key: string): unknown {
  const value = key
    .split('.')
    .reduce<unknown>((part, name) => (part ? Reflect.get(Object(part), name) : undefined), given)
  return value ?? undefined
}

function normalize(value: unknown, isList: boolean): SettingValue {
  if (!isList) return value as SettingValue
  return listItems(value as string | Instruction | (string | Instruction)[]).map((item) =>
    typeof item === 'string' ? item : { paths: listItems(item.paths as never), text: item.text },
  )
}
