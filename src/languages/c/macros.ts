// Blanks the macros of C and C++ that the grammar can't parse.

/** Matches `SHOP_EXPORT` or `SHOP_EXPORT(1)`. */
const macro = String.raw`([A-Z][A-Z\d_]{2,60}(?:\([^()\n]{0,100}\))?)`
const className = String.raw`[ \t]+[A-Za-z_][\w:]{0,200}(?:<[^<>;{}\n]{0,200}>)?`
const classKeyword = String.raw`(\b(?:class|struct|union)[ \t]+)`

/**
 * Matches the macro in `class SHOP_EXPORT Cart : public Base {`. The grammar would parse a class
 * with two names as a function.
 */
const exportMacro = new RegExp(
  String.raw`${classKeyword}${macro}(?=${className}(?:[ \t]+final)?\s{0,200}[:{])`,
  'g',
)

const ifCplusplus = [
  String.raw`(#\s{0,20}if(?:def|\s{1,20}defined\s{0,20}\(?)[ \t]{0,20}__cplusplus\)?`,
  String.raw`[ \t]{0,20}\r?\n\s{0,200})`,
].join('')
const braceOfExternC = String.raw`(extern\s{1,20}"C"\s{0,20}\{|\})`
const endif = String.raw`[^\r\n]{0,200}\r?\n\s{0,200}#\s{0,20}endif`

/**
 * Matches `extern "C" {` or its `}` between `#ifdef __cplusplus` and `#endif`. The grammar parses
 * the two conditional blocks separately, so each brace would have no counterpart.
 */
const languageBrace = new RegExp(`${ifCplusplus}${braceOfExternC}(?=${endif})`, 'g')

/** Replaces these macros with spaces. */
export function hideMacros(text: string): string {
  const hide = (_match: string, before: string, hidden: string) =>
    before + hidden.replaceAll(/[^\r\n]/g, ' ')
  return text.replaceAll(exportMacro, hide).replaceAll(languageBrace, hide)
}
