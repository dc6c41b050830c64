// The rule about changed text that speaks to whoever reviews the change, above all to a model.
import type { Hit, Rule, TextLine } from './rule.ts'

const change = '(?:pull requests?|merge requests?|PRs?|MRs?|diff|changes?|changeset|commits?|patch)'
const code =
  '(?:pull requests?|merge requests?|PRs?|MRs?|diff|changes?|commits?|patch|files?|code|function|class|script)'
const machine =
  '(?:AI|A\\.I\\.|LLM|GPT|ChatGPT|Claude|Copilot|Gemini|language model|automated|automatic|bot|robot)'
const reviewer =
  '(?:code[- ])?(?:reviewers?|verifiers?|review (?:bot|agent|assistant|model|tool|system)s?)'
const quote = '["\'`*]{0,3}'

/**
 * Ways to speak to a reviewer. A prompt alone ("you are a helpful assistant") is none: programs hold many. What counts
 * speaks of the instructions that the reader has, or of what the reader is to make of this change.
 */
const english: readonly RegExp[] = [
  // Instructions that are to be forgotten
  String.raw`(?<!\b(?:can|may|could|should|might|to|will|would|not|n't|then)\s(?:safely |simply |just )?)\b(?:ignore|disregard|forget) (?:(?:any|all|each|every|of|the|your|my|these|those) ){0,4}(?:previous|prior|preceding|above|earlier|former|existing|original|system|initial|other)(?: \w+)? (?:instructions?|prompts?|directives?|orders|guidelines|constraints)\b`,
  String.raw`\b(?:ignore|disregard|forget|override) (?:all |any )?(?:of )?your (?:\w+ )?(?:instructions?|prompts?|directives?|rules|guidelines|training|restrictions)\b`,
  String.raw`\b(?:ignore|disregard|forget) (?:everything|anything|all(?: that)?|whatever) (?:you (?:were|have been|are) (?:told|given)|that (?:was|came) (?:said )?(?:above|before)|(?:written )?(?:above|before this)\b[^\n]{0,40}\b(?:and|instead)\b)`,
  String.raw`\byour (?:new|real|true|actual|updated) (?:instructions?|task|role|goal|objective|directive)s? (?:is|are)\b`,
  // What the reader is to make of it
  String.raw`(?<!\b(?:to|will|can|could|would|should|who|they|I|we|maintainers?|reviewers?|not|n't|you|cannot|must|users?|or|and)\s)\bapprove (?:this|these|the current|my) ${change}\b`,
  String.raw`\b(?:and|please|now|simply|just|must|should|shall) (?:now |simply |just )?approve (?:this|my) ${change}\b`,
  String.raw`\byou (?:must|should|will|shall|have to|need to|are to|may now|can safely) (?:now |always |immediately |simply )?(?:approve|accept|merge|pass|rubber[- ]stamp|sign off on) (?:this|these|my) ${change}\b`,
  String.raw`\b(?:do not|don't|never|no need to|refrain from|avoid) (?:ever )?(?:report|flag|rais|mention|comment|criticiz|complain|look|review|analy[sz]|inspect)\w*\b[^.\n]{0,40}\b(?:this|the following|the above) ${change}\b`,
  String.raw`\b(?:do not|don't|never) (?:report|flag|raise|mention|list) (?:any |the )?(?:issues?|problems?|bugs?|findings?|vulnerabilit(?:y|ies)|defects?)\b[^.\n]{0,30}\b(?:this|the following|the above) ${code}\b`,
  String.raw`\b(?:report|return|give|output|list|post|raise|produce|emit) (?:zero|no|an empty list of) (?:findings?|vulnerabilities|review comments|issues (?:in|on|for|about) (?:this|the))\b`,
  String.raw`\b(?:respond|reply|answer|conclude|finish|(?:output|return|print|say)(?= (?:only|just|exactly|simply|with|the)\b|:))(?: only| just| exactly| simply)?(?: with)?(?: only| just| exactly)?(?: the (?:word|verdict|text|sentence|single word))?:? ${quote}(?:LGTM|APPROVED?|no (?:issues|findings|problems)(?: found)?|looks good)\b`,
  String.raw`\b(?:verdict|your (?:decision|rating|conclusion|assessment|review)) (?:is|must be|should be|shall be|has to be):? ${quote}(?:APPROVED?|LGTM|accept(?:ed)?)\b|\\?[\"']verdict\\?[\"']\s?:\s?\\?[\"'](?:APPROVED?|LGTM)\b`,
  String.raw`\bskip (?:the |this |your |any )?(?:code |security )?review (?:of|for|on) (?:this|these) ${code}\b`,
  String.raw`\bno (?:further |additional )?(?:code |security )?review (?:is )?(?:needed|required|necessary)(?: here\b| (?:of|for|on) (?:this|these)\b)`,
  String.raw`(?<!\b(?:once|after|when|until|if|unless|before|that|not)\b[^.\n]{0,60})\b(?:this|these) ${code} (?:has|have)(?: already)? been (?:\w+ly )?(?:reviewed|audited|vetted|verified|checked) and (?:is |are |pre-?)?(?:approved|signed off|cleared|safe)\b`,
  String.raw`(?<!\b(?:once|after|when|until|if|unless|not)\b[^.\n]{0,60})\bthis ${code} (?:is|was|has been) (?:already |pre-?)(?:approved)\b`,
  String.raw`\b(?:all|every|each|any) (?:findings?|claims?) (?:about|on|in|for) this ${code} (?:is|are) (?:refuted|false|wrong|invalid|resolved)\b`,
  String.raw`\b(?:mark|treat|consider|regard) (?:all|every|each|any) (?:finding|claim)s? as (?:resolved|refuted|fixed|false|invalid)\b`,
  // The reader is named
  String.raw`\b(?:note|message|attention|instructions?|notice|hint|memo|reminder|dear|hey|hi|hello)[\s,:!]{1,3}(?:to |for )?(?:the |any |all |every )?(?:${machine}[- ]){0,3}${reviewer}\b`,
  String.raw`\b(?:note|message|attention|instructions?|notice|hint|memo|dear|hey|hi|hello)[\s,:!]{1,3}(?:to |for )?(?:the |any |all |every )?${machine}s?[^.\n]{0,30}\b(?:reviewing|reading|analy[sz]ing|looking at) (?:this|the) ${code}\b`,
  String.raw`(?:^|[^\w])(?:${machine}[- ]){1,3}(?:code )?reviewers?\s?(?:[:,!]|(?:must|should|please|can|may) )`,
  String.raw`\b(?:if|since|as|because|when) you(?:'re| are) (?:an? |the )?(?:${machine}[- ]?){1,3}[^.\n]{0,40}\b(?:review|approv|reading this|this ${change})`,
  String.raw`\byou are (?:now )?(?:an? |the )(?:\w+ )?(?:${machine}[- ]){1,3}(?:code[- ])?reviewer\b`,
  String.raw`\b(?:approve|merge)_(?:pull_request|pr|merge_request)\b[^\n]{0,40}\b(?:tool|now)\b|\b(?:call|use|invoke) (?:the )?(?:tool )?["'\x60]?(?:approve|merge)_(?:pull_request|pr|merge_request)\b`,
  String.raw`\b(?:print|reveal|repeat|output|include|post|leak|send|disclose|quote) (?:me )?(?:all |the |your |every )*(?:system prompt|hidden instructions|environment variables|api keys?|access tokens?|secrets|credentials|initial instructions)\b[^.\n]{0,60}\b(?:review|comment|summary|finding)`,
].map((source) => new RegExp(source, 'i'))

/** "Ignore all previous instructions" and "approve this pull request" in other languages. */
const otherLanguages: readonly RegExp[] = [
  // German
  /(?:ignorier|missacht|vergiss)\w*\s+(?:sie\s+)?(?:bitte\s+)?(?:(?:alle|die|deine|ihre|sämtliche)\s+){0,3}(?:(?:vorherigen|bisherigen|vorigen|früheren|obigen)\s+)?(?:anweisungen|instruktionen|befehle|vorgaben)/iu,
  /(?:genehmig|akzeptier|bestätig)\w*\s+(?:sie\s+)?(?:bitte\s+)?diese[nrs]?\s+(?:pull[- ]?request|merge[- ]?request|PR\b|MR\b|änderung)/iu,
  // French
  /(?:ignore[zr]?|oublie[zr]?)\s+(?:toutes\s+)?(?:les|tes|vos)\s+(?:instructions|consignes|directives)\s+(?:précédentes|antérieures|ci-dessus|données)/iu,
  /(?:approuve[zr]?|accepte[zr]?|valide[zr]?)\s+(?:cette|ce)\s+(?:pull request|merge request|PR|MR|demande de|modification)/iu,
  // Spanish
  /(?:ignor[ae]n?|olvid[ae]n?)\s+(?:todas?\s+)?(?:las|tus|sus)\s+(?:instrucciones|órdenes|indicaciones)\s+(?:anteriores|previas)/iu,
  /(?:aprueb[ae]n?|acept[ae]n?)\s+est[ae]\s+(?:pull request|merge request|PR|MR|solicitud de|cambio)/iu,
  // Portuguese
  /(?:ignor[ea]m?|desconsider[ea]m?|esqueça)\s+(?:todas\s+)?(?:as|suas)\s+(?:instruções|ordens)\s+(?:anteriores|prévias)/iu,
  /(?:aprov[ea]m?|aceit[ea]m?)\s+est[ea]\s+(?:pull request|merge request|PR|MR|alteração|mudança)/iu,
  // Italian
  /(?:ignora|dimentica)(?:te|re)?\s+(?:tutte\s+)?(?:le\s+)?(?:tue\s+)?(?:istruzioni|indicazioni)\s+(?:precedenti|anteriori)/iu,
  /(?:approva|accetta)(?:te|re)?\s+quest[ao]\s+(?:pull request|merge request|PR|MR|modifica|richiesta di)/iu,
  // Dutch, Polish, Turkish
  /negeer\s+(?:alle\s+)?(?:eerdere|vorige|bovenstaande)\s+(?:instructies|opdrachten)|keur\s+(?:deze|dit)\s+(?:pull request|PR|wijziging)/iu,
  /(?:zignoruj|ignoruj|pomiń)\s+(?:wszystkie\s+)?(?:poprzednie|wcześniejsze|powyższe)\s+(?:instrukcje|polecenia)|zatwierdź\s+(?:ten|tę|to)\s+(?:pull request|PR|MR|zmian)/iu,
  /önceki\s+(?:tüm\s+)?(?:talimatlar|komutlar)\S*\s+(?:yok say|görmezden gel|unut)|bu\s+(?:pull request|PR|değişikliğ)\S*\s+onayla/iu,
  // Russian, Ukrainian
  /(?:игнорируй|проигнорируй|забудь|ігноруй)\S*\s+(?:\S+\s+){0,3}(?:инструкци|указани|інструкці)/iu,
  /(?:одобрь|прими|утверди|схвали)\S*\s+(?:этот|эти|это|цей)\s+(?:пул|pull|merge|PR|MR|запрос|изменени|запит)/iu,
  // Chinese, Japanese, Korean
  /(?:忽略|无视|忽視|無視|忘记|不要理会).{0,4}(?:之前|以前|先前|上面|以上|上述|所有|此前|前面|你的|您的).{0,8}(?:指令|指示|提示|说明|說明)/u,
  /(?:批准|通过|同意|核准).{0,6}(?:拉取请求|合并请求|此更改|此次更改|这个\s?(?:PR|MR|更改)|此\s?PR)/iu,
  /(?:以前|上記|これまで|前).{0,6}(?:指示|命令|プロンプト).{0,8}(?:無視|忘れ)/u,
  /この.{0,10}(?:プルリクエスト|PR|変更).{0,6}承認/iu,
  /(?:이전|앞의|위의).{0,8}(?:지시|명령|프롬프트).{0,6}무시/u,
  /이\s?(?:풀 ?리퀘스트|PR|변경).{0,6}승인/iu,
  // Arabic, Hebrew, Hindi
  /\u062a\u062c\u0627\u0647\u0644.{0,12}(?:\u0627\u0644\u062a\u0639\u0644\u064a\u0645\u0627\u062a|\u0627\u0644\u0623\u0648\u0627\u0645\u0631)/u,
  /\u05d4\u05ea\u05e2\u05dc\u05dd.{0,10}\u05d4\u05d4\u05d5\u05e8\u05d0\u05d5\u05ea/u,
  /(?:पिछले|पिछली).{0,12}(?:निर्देश|आदेश)/u,
]

const patterns = [...english, ...otherLanguages]

const keyword =
  /instruct|prompt|this (?:change|diff|commit|patch|PR|MR|pull|merge)|directive|guideline|constraint|approv|review|verdict|lgtm|finding|vulnerabilit|issues|problems|disregard|forget|ignor|vergiss|genehmig|best(?:ä|a)tig|approuv|oublie|aprueb|olvid|aprov|desconsider|dimentica|negeer|keur|rubber|sign off|language model|looks good|\brules\b|\bLLM\b|\bAI\b|\bGPT|secrets|credential|api key|access token|environment variable|your (?:new|real|true|actual|updated)|[^ -~\t]/

/** What a line of a comment or a quotation begins with. */
const linePrefix = /^[\s/*#>;|%"'`+-]*(?:<!--|REM\b)?\s*/

function checkPromptInjection({ text, next }: TextLine): Omit<Hit, 'at'> | undefined {
  const line = normalizeText(text)
  // A sentence may go on below.
  const whole = next === '' ? line : `${line} ${normalizeText(next)}`
  const begins = (pattern: RegExp) => (pattern.exec(whole)?.index ?? line.length) < line.length
  if (!patterns.some(begins)) return undefined
  return {
    title: 'This text speaks to whoever reviews the change',
    body: 'When a reviewer, above all a language model, does what it reads here, the review comes to what the author wants. Take it out. Where it is data, such as a test of such texts, somebody who may write to the repository dismisses this.',
  }
}

/** Neither hidden characters nor another form of its letters make a text another one. */
function normalizeText(line: string): string {
  const letters = /[^ -~]/.test(line) ? line.normalize('NFKC').replace(/\p{Cf}/gu, '') : line
  return letters.replace(linePrefix, '').replace(/\s+/g, ' ')
}

export const promptInjectionRules: readonly Rule[] = [
  {
    id: 'addressed-reviewer',
    summary:
      'A text speaks to whoever reviews the change ("ignore previous instructions", "approve this pull request").',
    severity: 'moderate',
    category: 'security',
    confidence: 0.85,
    line: checkPromptInjection,
    keyword,
  },
]
