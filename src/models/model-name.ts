// Parses the name of a model: `provider:id`.
import type { ModelConfig } from '../config/config.ts'
import { ConfigError } from '../domain/errors.ts'

const providers: readonly ModelConfig['provider'][] = [
  'anthropic',
  'openai',
  'google',
  'compatible',
]

/**
 * Parses `provider:id`. The id may contain colons too (`compatible:llama3:8b`).
 *
 * @throws ConfigError that lists the known providers
 */
export function parseModelName(text: string): Pick<ModelConfig, 'provider' | 'id'> {
  const colon = text.indexOf(':')
  const provider = providers.find((known) => known === text.slice(0, colon))
  const id = text.slice(colon + 1).trim()
  if (provider === undefined || id === '')
    throw new ConfigError(
      `A model is named <provider>:<id>, where the provider is one of ${providers.join(', ')}.`,
    )
  return { provider, id }
}
