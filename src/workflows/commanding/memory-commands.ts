// Commands that add a rule to the memory of the repository, and remove it.
import type { AppContext } from '../../context.ts'
import { RequestError } from '../../domain/errors.ts'
import { findMemory } from '../../knowledge/memory/read-memories.ts'
import { redactKnownSecrets } from '../../lib/redact-known-secrets.ts'
import { codeSpan } from '../posting/escape-markdown.ts'
import { addWrittenMemory, dismissMemoryManually } from '../remembering/write-memory.ts'
import { answerWith, type Command, done } from './command.ts'

/** Prompts contain the rules that fit a change. */
const maxRuleLength = 1000

/** The same text again is the same memory, so that it can be repeated. */
export const remember: Command = async (ctx, { ref, person, argument, mention }) => {
  requireMemory(ctx)
  if (argument === '')
    throw new RequestError('conflict', `Write the rule, too: \`${mention} remember <rule>\`.`)
  if (argument.length > maxRuleLength)
    throw new RequestError('conflict', `The rule is longer than ${maxRuleLength} characters.`)
  const text = redactKnownSecrets(argument, ctx.secrets)
  const memory = { type: 'project_pattern', text, path: null } as const
  const { id } = await addWrittenMemory(ctx, person, ref.repo, memory)
  return answerWith(
    done(
      'Remembered for all reviews of this repository that it fits. ' +
        `\`${mention} forget ${id}\` removes it.`,
    ),
  )
}

export const forget: Command = async (ctx, { ref, person, argument, mention }) => {
  requireMemory(ctx)
  const id = argument.toLowerCase()
  const isId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id)
  const memory = isId ? await findMemory(ctx.db, ref.repo, id) : undefined
  if (memory?.trust !== 'person') {
    const hint = `The answer to \`${mention} remember\` contains the ID.`
    throw new RequestError('not_found', `No memory that a person wrote has this ID. ${hint}`)
  }
  return async (tx) => {
    await dismissMemoryManually(tx, person, ref.repo, id)
    return done(`Forgotten: the memory ${codeSpan(id)}.`)
  }
}

function requireMemory({ config }: AppContext): void {
  if (!config.memory)
    throw new RequestError('not_configured', 'This deployment has no memory of repositories.')
}
