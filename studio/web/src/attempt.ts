// attempt.ts - doing what may fail, and telling about it in the server's words.
import { tell } from './store'

/** False and a notice if it did fail. */
export async function attempt(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (cause) {
    tell(cause instanceof Error ? cause.message : String(cause), 'error')
    return false
  }
}
