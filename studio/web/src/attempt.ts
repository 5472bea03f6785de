// attempt.ts - doing what may fail, and telling about it in the server's words.
import { tell } from './store'

export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** False and a notice if it did fail. */
export async function attempt(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (cause) {
    tell(messageOf(cause), 'error')
    return false
  }
}
