// Parses the texts of environment variables.
import { isIP } from 'node:net'
import type { Parse } from './variable.ts'

/** Accepts any text. */
export const anyText: Parse<string> = (text) => text

export function matching(pattern: RegExp, problem: string): Parse<string> {
  return (text, report) => (pattern.test(text) ? text : report(problem))
}

export function oneOf<const Word extends string>(words: readonly Word[]): Parse<Word> {
  return (text, report) => words.find((word) => word === text) ?? report(mustBe(words))
}

/** Formats a problem: `must be a, b or c`. */
export function mustBe(choices: readonly string[]): string {
  const others = choices.slice(0, -1).join(', ')
  return `must be ${others === '' ? '' : `${others} or `}${choices.at(-1)}`
}

const onOrOff = oneOf(['on', 'off'])
export const onOffSwitch: Parse<boolean> = (text, report) => {
  const word = onOrOff(text, report)
  return word === undefined ? undefined : word === 'on'
}

export function wholeNumber(minimum: number, maximum: number): Parse<number> {
  return (text, report) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    if (value >= minimum && value <= maximum) return value
    return report(`must be a whole number from ${minimum} to ${maximum}`)
  }
}

export const dollars: Parse<number> = (text, report) =>
  /^\d+(\.\d+)?$/.test(text)
    ? Number(text)
    : report('must be an amount in US dollars, for example 0.50')

/** Reads an address, without slashes at its end. */
export const httpUrl: Parse<string> = (text, report) => {
  const url = text.trim()
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
    return report('must be an http or https address')
  // A parser of URLs ignores these characters, wherever they are.
  return url.replaceAll(/[\t\n\r]/g, '').replace(/\/+$/, '')
}

/** Reads items that are separated by commas. */
export function listOf(isItem: (item: string) => boolean, problem: string): Parse<string[]> {
  return (text, report) => {
    const items = text.split(',').map((item) => item.trim())
    return items.every(isItem) ? items : report(problem)
  }
}

/** Whether a text is an IP address, or a range that doesn't contain all addresses. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = address.includes('%') ? 0 : isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^[1-9]\d*$/.test(bits) && Number(bits) <= maxBits[version]!)
}

const maxBits: Readonly<Record<number, number>> = { 4: 32, 6: 128 }
