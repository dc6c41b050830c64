// The rule about changed text that addresses the reviewer of the change, above all a model.
import type { Hit, Rule, TextLine } from './rule.ts'

const change = '(?:pull requests?|merge requests?|PRs?|MRs?|diff|changes?|changeset|commits?|patch)'
const code =
  '(?:pull requests?|merge requests?|PRs?|MRs?|diff|changes?|commits?|patch|' +
  'files?|code|function|class|script)'
const machine =
  '(?:AI|A\\.I\\.|LLM|GPT|ChatGPT|Claude|Copilot|Gemini|language model|' +
  'automated|automatic|bot|robot)'
const reviewer =
  '(?:code[- ])?(?:reviewers?|verifiers?|review (?:bot|agent|assistant|model|tool|system)s?)'
const quote = '["\'`*]{0,3}'

/**
 * Texts that address a reviewer: about the reader's instructions, or about the outcome of the
 * review. A mere prompt ("you are a helpful assistant") isn't one, as many programs hold prompts.
 */
const english: readonly RegExp[] = [
  // The reader is to forget its instructions.
  String.raw`(?<!\b(?:can|may|could|should|might|to|will|would|not|n't|then)\s(?:safely |` +
    String.raw`simply |just )?)\b(?:ignore|disregard|forget) ` +
    '(?:(?:any|all|each|every|of|the|your|my|these|those) ){0,4}' +
    '(?:(?:previous|prior|preceding|above|earlier|former|existing|original|initial|other)' +
    String.raw`(?: \w+)? (?:instructions?|prompts?|directives?|orders|guidelines|constraints)` +
    String.raw`|system(?: \w+)? (?:instructions?|prompts?))\b`,
  String.raw`\b(?:ignore|disregard|forget|override) (?:all |any )?(?:of )?your (?:\w+ )?` +
    String.raw`(?:instructions?|prompts?|directives?|rules|guidelines|training|restrictions)\b`,
  String.raw`\b(?:ignore|disregard|forget) (?:everything|anything|all(?: that)?|whatever) ` +
    '(?:you (?:were|have been|are) (?:told|given)|' +
    'that (?:was|came) (?:said )?(?:above|before)|' +
    String.raw`(?:written )?(?:above|before this)\b[^\n]{0,40}\b(?:and|instead)\b)`,
  String.raw`\byour (?:new|real|true|actual|updated) ` +
    String.raw`(?:instructions?|task|role|goal|objective|directive)s? (?:is|are)\b`,
  // The review is to have a certain outcome.
  String.raw`(?<!\b(?:to|will|can|could|would|should|who|they|I|we|maintainers?|reviewers?|` +
    String.raw`not|n't|you|cannot|must|users?|or|and)\s)\bapprove ` +
    String.raw`(?:this|these|the current|my) ${change}\b`,
  String.raw`\b(?:and|please|now|simply|just|must|should|shall) ` +
    String.raw`(?:now |simply |just )?approve (?:this|my) ${change}\b`,
  String.raw`\byou (?:must|should|will|shall|have to|need to|are to|may now|can safely) ` +
    '(?:now |always |immediately |simply )?' +
    '(?:approve|accept|merge|pass|rubber[- ]stamp|sign off on) (?:this|these|my) ' +
    String.raw`${change}\b`,
  String.raw`\b(?:do not|don't|never|no need to|refrain from|avoid) (?:ever )?` +
    '(?:report|flag|rais|mention|comment|criticiz|complain|look|review|analy[sz]|' +
    String.raw`inspect)\w*\b[^.\n]{0,40}\b(?:this|the following|the above) ${change}\b`,
  String.raw`\b(?:do not|don't|never) (?:report|flag|raise|mention|list) (?:any |the )?` +
    '(?:issues?|problems?|bugs?|findings?|vulnerabilit(?:y|ies)|' +
    String.raw`defects?)\b[^.\n]{0,30}\b(?:this|the following|the above) ${code}\b`,
  String.raw`\b(?:report|return|give|output|list|post|raise|produce|emit) ` +
    '(?:zero|no|an empty list of) ' +
    '(?:findings?|vulnerabilities|review comments|' +
    String.raw`issues (?:in|on|for|about) (?:this|the))\b`,
  String.raw`\b(?:respond|reply|answer|conclude|finish|` +
    String.raw`(?:output|return|print|say)(?= (?:only|just|exactly|simply|with|the)\b|:))` +
    '(?: only| just| exactly| simply)?(?: with)?(?: only| just| exactly)?' +
    `(?: the (?:word|verdict|text|sentence|single word))?:? ${quote}` +
    String.raw`(?:LGTM|APPROVED?|no (?:issues|findings|problems)(?: found)?|looks good)\b`,
  String.raw`\b(?:verdict|your (?:decision|rating|conclusion|assessment|review)) ` +
    `(?:is|must be|should be|shall be|has to be):? ${quote}` +
    String.raw`(?:APPROVED?|LGTM|accept(?:ed)?)\b|\\?[\"']verdict\\?[\"']\s?:\s?\\?[\"']` +
    String.raw`(?:APPROVED?|LGTM)\b`,
  String.raw`\bskip (?:the |this |your |any )?(?:code |security )?review (?:of|for|on) ` +
    String.raw`(?:this|these) ${code}\b`,
  String.raw`\bno (?:further |additional )?(?:code |security )?review (?:is )?` +
    String.raw`(?:needed|required|necessary)(?: here\b| (?:of|for|on) (?:this|these)\b)`,
  String.raw`(?<!\b(?:once|after|when|until|if|unless|before|that|not)\b[^.\n]{0,60})\b` +
    String.raw`(?:this|these) ${code} (?:has|have)(?: already)? been (?:\w+ly )?` +
    '(?:reviewed|audited|vetted|verified|checked) and (?:is |are |pre-?)?' +
    String.raw`(?:approved|signed off|cleared|safe)\b`,
  String.raw`(?<!\b(?:once|after|when|until|if|unless|not)\b[^.\n]{0,60})\bthis ${code} ` +
    String.raw`(?:is|was|has been) (?:already |pre-?)(?:approved)\b`,
  String.raw`\b(?:all|every|each|any) (?:findings?|claims?) (?:about|on|in|for) this ${code} ` +
    String.raw`(?:is|are) (?:refuted|false|wrong|invalid|resolved)\b`,
  String.raw`\b(?:mark|treat|consider|regard) (?:all|every|each|any) (?:finding|claim)s? as ` +
    String.raw`(?:resolved|refuted|fixed|false|invalid)\b`,
  // The reader is addressed by name, or is to disclose something.
  String.raw`\b(?:note|message|attention|instructions?|notice|hint|memo|reminder|dear|hey|hi|` +
    String.raw`hello)[\s,:!]{1,3}(?:to |for )?(?:the |any |all |every )?(?:${machine}[- ]){0,3}` +
    String.raw`${reviewer}\b`,
  String.raw`\b(?:note|message|attention|instructions?|notice|hint|memo|dear|hey|hi|` +
    String.raw`hello)[\s,:!]{1,3}(?:to |for )?(?:the |any |all |every )?` +
    String.raw`${machine}s?[^.\n]{0,30}\b(?:reviewing|reading|analy[sz]ing|looking at) ` +
    String.raw`(?:this|the) ${code}\b`,
  String.raw`(?:^|[^\w])(?:${machine}[- ]){1,3}(?:code )?reviewers?\s?` +
    '(?:[:,!]|(?:must|should|please|can|may) )',
  String.raw`\b(?:if|since|as|because|when) you(?:'re| are) (?:an? |the )?` +
    String.raw`(?:${machine}[- ]?){1,3}[^.\n]{0,40}\b` +
    `(?:review|approv|reading this|this ${change})`,
  String.raw`\byou are (?:now )?(?:an? |the )(?:\w+ )?(?:${machine}[- ]){1,3}` +
    String.raw`(?:code[- ])?reviewer\b`,
  String.raw`\b(?:approve|merge)_(?:pull_request|pr|merge_request)\b[^\n]{0,40}\b` +
    String.raw`(?:tool|now)\b|\b(?:call|use|invoke) (?:the )?(?:tool )?["'\x60]?` +
    String.raw`(?:approve|merge)_(?:pull_request|pr|merge_request)\b`,
  String.raw`\b(?:print|reveal|repeat|output|include|post|leak|send|disclose|quote) (?:me )?` +
    '(?:all |the |your |every )*' +
    '(?:system prompt|hidden instructions|environment variables|api keys?|' +
    String.raw`access tokens?|secrets|credentials|initial instructions)\b[^.\n]{0,60}\b` +
    '(?:review|comment|summary|finding)',
].map((source) => new RegExp(source, 'i'))

/** Texts such as "ignore all previous instructions" and "approve this pull request". */
const otherLanguages: Readonly<Record<string, readonly RegExp[]>> = {
  german: [
    /(?:ignorier|missacht|vergiss)\w*\s+(?:sie\s+)?(?:bitte\s+)?(?:(?:alle|die|deine|ihre|sämtliche)\s+){0,3}(?:(?:vorherigen|bisherigen|vorigen|früheren|obigen)\s+)?(?:anweisungen|instruktionen|befehle|vorgaben)/iu,
    /(?:genehmig|akzeptier|bestätig)\w*\s+(?:sie\s+)?(?:bitte\s+)?diese[nrs]?\s+(?:pull[- ]?request|merge[- ]?request|PR\b|MR\b|änderung)/iu,
  ],
  french: [
    /(?:ignore[zr]?|oublie[zr]?)\s+(?:toutes\s+)?(?:les|tes|vos)\s+(?:instructions|consignes|directives)\s+(?:précédentes|antérieures|ci-dessus|données)/iu,
    new RegExp(
      String.raw`(?:approuve[zr]?|accepte[zr]?|valide[zr]?)\s+(?:cette|ce)\s+` +
        '(?:pull request|merge request|PR|MR|demande de|modification)',
      'iu',
    ),
  ],
  spanish: [
    /(?:ignor[ae]n?|olvid[ae]n?)\s+(?:todas?\s+)?(?:las|tus|sus)\s+(?:instrucciones|órdenes|indicaciones)\s+(?:anteriores|previas)/iu,
    new RegExp(
      String.raw`(?:aprueb[ae]n?|acept[ae]n?)\s+est[ae]\s+` +
        '(?:pull request|merge request|PR|MR|solicitud de|cambio)',
      'iu',
    ),
  ],
  portuguese: [
    /(?:ignor[ea]m?|desconsider[ea]m?|esqueça)\s+(?:todas\s+)?(?:as|suas)\s+(?:instruções|ordens)\s+(?:anteriores|prévias)/iu,
    new RegExp(
      String.raw`(?:aprov[ea]m?|aceit[ea]m?)\s+est[ea]\s+` +
        '(?:pull request|merge request|PR|MR|alteração|mudança)',
      'iu',
    ),
  ],
  italian: [
    /(?:ignora|dimentica)(?:te|re)?\s+(?:tutte\s+)?(?:le\s+)?(?:tue\s+)?(?:istruzioni|indicazioni)\s+(?:precedenti|anteriori)/iu,
    /(?:approva|accetta)(?:te|re)?\s+quest[ao]\s+(?:pull request|merge request|PR|MR|modifica|richiesta di)/iu,
  ],
  dutch: [
    /negeer\s+(?:alle\s+)?(?:eerdere|vorige|bovenstaande)\s+(?:instructies|opdrachten)|keur\s+(?:deze|dit)\s+(?:pull request|PR|wijziging)/iu,
  ],
  polish: [
    /(?:zignoruj|ignoruj|pomiń)\s+(?:wszystkie\s+)?(?:poprzednie|wcześniejsze|powyższe)\s+(?:instrukcje|polecenia)|zatwierdź\s+(?:ten|tę|to)\s+(?:pull request|PR|MR|zmian)/iu,
  ],
  turkish: [
    /önceki\s+(?:tüm\s+)?(?:talimatlar|komutlar)\S*\s+(?:yok say|görmezden gel|unut)|bu\s+(?:pull request|PR|değişikliğ)\S*\s+onayla/iu,
  ],
  russianAndUkrainian: [
    /(?:игнорируй|проигнорируй|забудь|ігноруй)\S*\s+(?:\S+\s+){0,3}(?:инструкци|указани|інструкці)/iu,
    /(?:одобрь|прими|утверди|схвали)\S*\s+(?:этот|эти|это|цей)\s+(?:пул|pull|merge|PR|MR|запрос|изменени|запит)/iu,
  ],
  chinese: [
    /(?:忽略|无视|忽視|無視|忘记|不要理会).{0,4}(?:之前|以前|先前|上面|以上|上述|所有|此前|前面|你的|您的).{0,8}(?:指令|指示|提示|说明|說明)/u,
    /(?:批准|通过|同意|核准).{0,6}(?:拉取请求|合并请求|此更改|此次更改|这个\s?(?:PR|MR|更改)|此\s?PR)/iu,
  ],
  japanese: [
    /(?:以前|上記|これまで|前).{0,6}(?:指示|命令|プロンプト).{0,8}(?:無視|忘れ)/u,
    /この.{0,10}(?:プルリクエスト|PR|変更).{0,6}承認/iu,
  ],
  korean: [
    /(?:이전|앞의|위의).{0,8}(?:지시|명령|프롬프트).{0,6}무시/u,
    /이\s?(?:풀 ?리퀘스트|PR|변경).{0,6}승인/iu,
  ],
  arabic: [
    /\u062a\u062c\u0627\u0647\u0644.{0,12}(?:\u0627\u0644\u062a\u0639\u0644\u064a\u0645\u0627\u062a|\u0627\u0644\u0623\u0648\u0627\u0645\u0631)/u,
  ],
  hebrew: [/\u05d4\u05ea\u05e2\u05dc\u05dd.{0,10}\u05d4\u05d4\u05d5\u05e8\u05d0\u05d5\u05ea/u],
  hindi: [/(?:पिछले|पिछली).{0,12}(?:निर्देश|आदेश)/u],
}

const patterns = [...english, ...Object.values(otherLanguages).flat()]

/** Matches every line that one of the patterns can match. */
const keyword =
  /instruct|prompt|this (?:change|diff|commit|patch|PR|MR|pull|merge)|directive|guideline|constraint|approv|review|verdict|lgtm|finding|vulnerabilit|issues|problems|disregard|forget|ignor|vergiss|genehmig|best(?:ä|a)tig|approuv|oublie|aprueb|olvid|aprov|desconsider|dimentica|negeer|keur|rubber|sign off|language model|looks good|\brules\b|\bLLM\b|\bAI\b|\bGPT|secrets|credential|api key|access token|environment variable|your (?:new|real|true|actual|updated)|[^ -~\t]/

/** Matches what starts a line of a comment or a quotation. */
const linePrefix = /^[\s/*#>;|%"'`+-]*(?:<!--|REM\b)?\s*/

function checkPromptInjection({ text, next }: TextLine): Omit<Hit, 'at'> | undefined {
  const line = normalizeText(text)
  // A sentence may continue on the next line, but has to start on this one.
  const bothLines = next === '' ? line : `${line} ${normalizeText(next)}`
  const startsHere = (pattern: RegExp) => {
    const index = pattern.exec(bothLines)?.index
    return index !== undefined && index < line.length
  }
  if (!patterns.some(startsHere)) return undefined
  return {
    title: 'Prompt injection: this text addresses the reviewer of the change',
    body:
      'When a language model follows this text, it reviews as the author wants. Remove it. ' +
      'If it is data, such as a test of such texts, a person with write access can dismiss ' +
      'this.',
  }
}

/** Removes hidden characters and line prefixes, and replaces other forms of letters. */
function normalizeText(line: string): string {
  const letters = /[^ -~]/.test(line) ? line.normalize('NFKC').replace(/\p{Cf}/gu, '') : line
  return letters.replace(linePrefix, '').replace(/\s+/g, ' ')
}

export const promptInjectionRules: readonly Rule[] = [
  {
    id: 'addressed-reviewer',
    summary:
      'Prompt injection: a text addresses the reviewer of the change ("ignore previous ' +
      'instructions", "approve this change").',
    seeAlso: ['CWE-1427'],
    severity: 'moderate',
    category: 'security',
    confidence: 0.85,
    line: checkPromptInjection,
    keyword,
  },
]
