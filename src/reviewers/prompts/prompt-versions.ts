// The versions of all prompts, which are stored with each review.
import { answerPromptVersion } from './answer-prompt.ts'
import { reviewPromptVersion } from './review-prompt.ts'
import { specialistPromptsVersion } from './specialist-prompts.ts'
import { synthesisPromptVersion } from './synthesis-prompt.ts'
import { verifyPromptVersion } from './verify-prompt.ts'

export const promptVersions = {
  review: reviewPromptVersion,
  specialists: specialistPromptsVersion,
  synthesis: synthesisPromptVersion,
  verify: verifyPromptVersion,
  answer: answerPromptVersion,
} as const
