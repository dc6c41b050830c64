// Macros of C and C++ that keep the grammar from reading what stands around them.

/** `class SHOP_EXPORT Cart : public Base {`: with two names the grammar takes a class for a function. */
const exportMacro =
  /(\b(?:class|struct|union)[ \t]+)([A-Z][A-Z\d_]{2,60}(?:\([^()\n]{0,100}\))?)(?=[ \t]+[A-Za-z_][\w:]{0,200}(?:<[^<>;{}\n]{0,200}>)?(?:[ \t]+final)?\s{0,200}[:{])/g

/** The brace of `extern "C" {` that only C++ is shown, and its end: each would miss the other. */
const languageBrace =
  /(#\s{0,20}if(?:def|\s{1,20}defined\s{0,20}\(?)[ \t]{0,20}__cplusplus\)?[ \t]{0,20}\r?\n\s{0,200})(extern\s{1,20}"C"\s{0,20}\{|\})(?=[^\r\n]{0,200}\r?\n\s{0,200}#\s{0,20}endif)/g

/** The text with blanks in place of those macros. */
export function hideMacros(text: string): string {
  const hide = (_all: string, before: string, macro: string) =>
    before + macro.replaceAll(/[^\r\n]/g, ' ')
  return text.replaceAll(exportMacro, hide).replaceAll(languageBrace, hide)
}
