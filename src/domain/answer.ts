// Defines what becomes of questions that people ask on a pull request.
export { type AnswerPosition, answerPositions } from '../contract/enums.ts'

/** Why a question isn't answered: there were too many, or the budget is spent. */
export type AnswerLimit = 'thread' | 'pull_request' | 'hour' | 'budget'
