// The initial of a person on a color of their name. Images of other hosts are never loaded.

const tones = [
  'bg-[#dbe4ff] text-[#2b3a8f] dark:bg-[#26305f] dark:text-[#c3ceff]',
  'bg-[#d3f2e3] text-[#0f5a37] dark:bg-[#173a2a] dark:text-[#9be3bd]',
  'bg-[#fde3cf] text-[#7c3d0c] dark:bg-[#42291a] dark:text-[#f6c49c]',
  'bg-[#fbdce8] text-[#8a1f4d] dark:bg-[#451f31] dark:text-[#f7b2cd]',
  'bg-[#e9dffb] text-[#552b9b] dark:bg-[#322350] dark:text-[#d3bdfb]',
  'bg-[#d2eef5] text-[#0e5468] dark:bg-[#163641] dark:text-[#9adcee]',
] as const

const avatarClass =
  'inline-flex size-4.5 shrink-0 items-center justify-center rounded-full font-semibold ' +
  'text-[10px] uppercase leading-none'

export function Avatar({ name }: { name: string }) {
  let hash = 0
  for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 9973
  return (
    <span aria-hidden="true" className={`${avatarClass} ${tones[hash % tones.length]}`}>
      {Array.from(name)[0] ?? '?'}
    </span>
  )
}
