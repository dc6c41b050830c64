// A preloaded module (`--import`) that shifts the process's clock by CLOCK_SHIFT_MS milliseconds.
const shift = Number(process.env.CLOCK_SHIFT_MS ?? 0)
const OriginalDate = Date

class ShiftedDate extends OriginalDate {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(OriginalDate.now() + shift)
    else super(...(given as []))
  }

  static override now(): number {
    return OriginalDate.now() + shift
  }
}

globalThis.Date = ShiftedDate as DateConstructor
