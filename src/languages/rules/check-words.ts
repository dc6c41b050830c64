// Recognizes code that checks a path, an address, or the name of an entry in an archive.
import type { Node } from 'web-tree-sitter'

/** The name of an entry of an archive, which can hold `../`. */
const entryName =
  /^&?\(?(?:\w{0,20}(?:entry|info|member|item|header|hdr|file|zf|ze|f|e))\??\.(?:filename|name|getName\(\)|FullName|Name|path|fileName|entryName|path\(\)\?|name\(\)|mangled_name\(\))\)?$/i

/** Code that extracts an archive. */
const extracts =
  /\bunzip|\bextract|ZipInputStream|\bZipFile\b|tarfile|\btar\.NewReader|\bzip\.(?:NewReader|OpenReader|ReadCloser|Reader)|ZipArchive|\bArchive::new|yauzl|unzipper|[nN]extEntry|infolist\(|namelist\(|getmembers\(|Zip::File|TarArchive|TarReader/

/** Code that creates an archive takes its names from files. */
const creates = /zip\.NewWriter|ZipOutputStream|tar\.NewWriter|CreateEntry|putNextEntry|['"]w['"]/

/** Whether an expression is the name of an entry, in a function that extracts an archive. */
export function isEntryName(node: Node, scope: string): boolean {
  const name = node.text
    .slice(0, 100)
    .replace(/^[\w.]+\.(?:Clean|normalize|normpath)\((.*)\)$/, '$1')
  if (!entryName.test(name)) return false
  return extracts.test(scope) && !creates.test(scope)
}

/** Code that looks at the whole path of an entry. Lists of allowed endings don't. */
const entryChecks =
  /starts?_?with\??\(|start_with\?|HasPrefix|base_?name|file_name\(|GetFileName\w{0,30}\(|getFileName\(|filepath\.Base|\.filename\.rsplit|realpath|canonical|relative|IsLocal|commonpath|safe|secure|saniti[sz]|enclosed_name|normaliz|\.\.["'/]|traversal|slip|\bunpack_in\(|\b\w{0,20}(?:valid|check|inside|within|contain)\w{0,20}Path\(/i

/** Whether the code of a function doesn't look at where an entry is written. */
export function hasNoEntryCheck(scope: string): boolean {
  return !entryChecks.test(scope.slice(0, 20_000).replace(weakTests, ''))
}

/** Code that compares any value with a list, a start or a pattern. */
const comparesText = [
  String.raw`[sS]tarts?_?[wW]ith\??\(|start_with\?|HasPrefix|[iI]ndexOf\(|\bfind\(|strpos|preg_match|=~|\b(?:full)?match(?:es|e[sd]To|All)?[?!]?\(|[eE]quals(?:IgnoreCase)?\(|is_match|IsMatch|MatchString|\.test\(|\.exec\(`,
  String.raw`in_array|include\?|includes\(|[cC]ontains\w{0,20}\(|\bhas(?:Own)?\(|\bany\w*\(|\ball\(|array_key_exists|isset\(self|\bnot in\b|\bin [A-Za-z_.]+`,
  String.raw`[=!]==?\s*(?!""|''|null\b|nil\b|None\b|undefined\b|false\b|UPLOAD_ERR|\[\])[\w"'\x60/]`,
  String.raw`allow|whitelist|permit|valid(?!ated)|verif|\bsafe|\bsecure|saniti[sz]|restrict|inside|within`,
  String.raw`\b(?:is|has|ensure|assert|check|require)(?!_?(?:[nN]ull|[eE]mpty|[bB]lank|[fF]ile|[dD]ir|set\b|[sS]tring|[pP]resent|Text|[rR]egular|[rR]eadable|[sS]ome|[nN]one|[oO]k|[eE]rr|[eE]xist|NotNull|nil)\w*[?(])(?:_[a-z]|[A-Z])\w{1,40}[?(]`,
].join('|')

/** Code that keeps a path inside of a folder, or checks it. */
export const pathChecks = new RegExp(
  String.raw`${comparesText}|realpath|canonical|\brelative\(|\bRel\(|relative_path_from|is_relative_to|relative_to\(|IsLocal|commonpath|components\(\)|enclosed_name|OpenInRoot|os\.Root|\broot:|normaliz\w*\(\)\s*\.\s*start`,
)

/** Code that checks where an address leads. */
export const hostChecks = new RegExp(
  String.raw`${comparesText}|same.?origin|is_?local|\bhost(?:name)?\b|\.Host\b|host_str|origin|netloc|getHost|url_from|only_path|GetLeftPart|parse_url|lookup|gethostby`,
  'i',
)

const quotedText = String.raw`["'\x60][^"'\x60\n]{0,40}["'\x60]`

/** Tests that a value with `../`, or with another host, passes as well. */
export const weakTests = new RegExp(
  [
    String.raw`\btypeof [\w.$]+ [!=]==? ${quotedText}|\b(?:isinstance|is_string|is_str)\([^()]{1,60}\)`,
    String.raw`\w*[eE]nds?_?[wW]ith\??\([^()]{0,60}\)|\bend_with\?\([^()]{0,60}\)|\bHasSuffix\([^()]{0,60}\)`,
    String.raw`[\w.?]{0,40}\((?:[^()"']{0,40}, ?)?["']\\(?:0|x00|u0000)["']\)`,
    // The start of a name, but not of a path.
    String.raw`(?:[sS]tarts?_?[wW]ith|start_with\?|HasPrefix)\((?:[\w.$]{1,40}, ?)?["'][\w.]+/?["']\)`,
    String.raw`[\w.]{0,40}(?:[iI]nclude|[cC]ontain|has)s?\??\([^()]{0,20}\b\w*(?:[eE]xt|[eE]xtension|extname|filepath\.Ext)\b[^()]{0,20}(?:\([^()]{0,60}\))?\)`,
    String.raw`[\w.$]{1,40}\.(?:length|size|Length|count|len\(\))(?:\(\))? [=!<>]{1,3} \w+|\blen\([^()]{1,40}\) [=!<>]{1,2} \w+`,
    String.raw`\b[eE]rr[A-Z]\w{1,40}`,
  ].join('|'),
  'g',
)
