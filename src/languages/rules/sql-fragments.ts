// Recognizes parts of SQL statements that quote a value by hand, wherever the statement is run.
import type { Node } from 'web-tree-sitter'
import type { InsertedValue } from './built-text.ts'
import type { ParsedFile } from './syntax-check.ts'

const operand = String.raw`[\w."\[\]]{1,80}(?:\([\w.", ]{0,80}\))?`
const operator = String.raw`(?:=|!=|<>|<=?|>=?|\b(?:(?:NOT|not)\s{1,9})?(?:I?LIKE|i?like))`

/** Compares with a text in quotation marks, such as `name = '`. */
const openedQuote = new RegExp(
  String.raw`(?<![@\[\w."])${operand}\s{0,9}${operator}\s{0,9}'%{0,2}$`,
)

/** The same behind a word that only SQL has there. */
const openedCondition = new RegExp(
  [
    String.raw`(?:\b(?:AND|OR|WHERE|HAVING|SET)|^[\s"'\x60]{0,9}(?:and|or|where|having))`,
    String.raw`\s{1,9}(?:(?:NOT|not)\s{1,9}|\(){0,3}${operand}\s{0,9}${operator}\s{0,9}'%{0,2}$`,
  ].join(''),
)

/** The operator of SQL that compares with a pattern. In lower case, it is also an English word. */
const openedPattern =
  /[\w)"\]]\s{1,9}(?:(?:NOT|not)\s{1,9})?(?:I?LIKE\s{1,9}'%{0,2}|i?like\s{1,9}'%{1,2})$/

/** A call that takes a condition, before its text. */
const takesCondition =
  /(?:\.|->|::)\w{0,12}(?:where|having)(?:raw)?\(\s{0,40}(?:(?:fmt\.Sprintf|String\.format|sprintf|format!?)\()?[($@a-z]{0,3}\s{0,40}$/i

const closedQuote = /^[^']{0,80}'/

/** Code that adds a text to the conditions of a statement, as it stands before the text. */
const addsCondition = new RegExp(
  [
    String.raw`(?:\w{0,30}(?:where|clause|cond|criteria|predicate|filter|sql|quer(?:y|ies))\w{0,30}`,
    String.raw`(?:\.(?:append|push|push_str|add|concat|unshift|appendln)\(`,
    String.raw`|\s{0,5}(?:\[\]\s?=|\+=|\.=|<<|=\s?append\(\w{1,40},))`,
    String.raw`|(?:\.|->|::)\w{0,12}(?:where|having)(?:raw)?\(|(?:\.|->|::)\w{1,12}raw\()`,
    String.raw`\s{0,40}(?:(?:fmt\.Sprintf|String\.format|sprintf|format!?)\()?[($@a-z]{0,3}\s{0,40}$`,
  ].join(''),
  'i',
)

/** Code that writes a message, or looks for a text in another language. */
const message =
  /\b(?:console|log(?:ger|ging)?|slog|warn(?:ing)?|error|debug|throw|raise|print\w*|puts|panic|assert\w*|expect|describe|message|msg|querySelector\w*|xpath|anyhow|bail)\b[^;{}\n]{0,100}$|(?:\bLog\w{0,15}|Error|Exception|Errorf|Printf|Println)\w{0,20}!?\s{0,9}\([^;{}]{0,100}$/

const markup = /<\/?[a-z]|\[@|\/\/|\\'/i

/** Names of things can't be parameters, and have other rules. */
const namesThing =
  /table|column|schema|database|index|prefix|placeholder|quoted|escaped|quoteIdent/i

/**
 * Returns the values that a part of an SQL statement holds in quotation marks.
 *
 * @param source the expression that builds the text
 */
export function quotedValues(
  values: readonly InsertedValue[],
  source: Node,
  { text }: ParsedFile,
): InsertedValue[] {
  const code = text.slice(Math.max(0, source.startIndex - 200), source.startIndex)
  const isAdded = addsCondition.test(code)
  const opened = takesCondition.test(code) ? /'%{0,2}$/ : openedQuote
  if (!isAdded && message.test(code)) return []
  return values.filter(
    (value) =>
      value.code !== '' &&
      isQuotedInSql(value, isAdded ? opened : undefined) &&
      !namesThing.test(value.code),
  )
}

function isQuotedInSql({ before, after }: InsertedValue, opened: RegExp | undefined): boolean {
  const start = before.slice(-300)
  if (!closedQuote.test(after) || markup.test(start)) return false
  if (openedCondition.test(start) || openedPattern.test(start)) return true
  return opened?.test(start) ?? false
}

/** Whether a literal can hold what `quotedValuesHit` looks for. Skips most texts quickly. */
export function mayQuoteValue(text: string): boolean {
  return text.includes("'") && /[=<>[]\s*'|like\s+'/i.test(text.slice(0, 4_000))
}
