// history.ts - the way back, one for all: the library remembers what was changed in it, step by step, for all its windows and
// programs; what is only set on this page (the weights of a blend, the place of a cut) is remembered here. Ctrl-Z takes back
// the last of both kinds.
import { operate } from './api'
import { attempt } from './attempt'
import { act } from './operations'
import { noteStep, stepOf, whenMade } from './steps'
import { getState, tell, type Notice } from './store'
import { plural, t } from './words/words'

export interface Step {
  step: number
  /** Seconds since 1970. */
  time: number
  title: string
  undone: boolean
}

/** "remove walk": as a sentence begins. */
export function sentence(title: string): string {
  return title.charAt(0).toUpperCase() + title.slice(1)
}

/** The latest first. */
export async function listSteps(): Promise<Step[]> {
  return (await operate<{ steps: Step[] }>('history', {})).steps
}

// What is set on the page

interface Setting {
  owner: object
  /** What of it: changes of the same in a row are one. */
  key: string
  when: number
  /** Brings back what was there; called again, what was there instead. */
  swap: () => void
}

const together_ms = 800
const remembered = 200
let settings: Setting[] = []
let takenBack: Setting[] = []

/** Call it before something is set that is not the library's. */
export function remember(owner: object, key: string, swap: () => void): void {
  const last = settings[settings.length - 1]
  const when = Date.now()
  takenBack = []
  if (last && last.owner === owner && last.key === key && when - last.when < together_ms) last.when = when
  else settings = [...settings, { owner, key, when, swap }].slice(-remembered)
}

/** It is not on the page any more. */
export function forgetSettings(owner: object): void {
  settings = settings.filter((one) => one.owner !== owner)
  takenBack = takenBack.filter((one) => one.owner !== owner)
}

/** What has a history of its own while it is edited: the plants of the open clip. */
interface Drafts {
  readonly canUndo: boolean
  readonly canRedo: boolean
  /** When it was changed last, in milliseconds since 1970. */
  readonly changedAt: number
  undo(): void
  redo(): void
}

let drafts: Drafts | null = null

export function joinHistory(joining: Drafts): void {
  drafts = joining
}

// Undo and redo

/** When steps of the library were undone here. */
const undoneAt = new Map<number, number>()

interface Move {
  count: number
  title: string
}

/** The lists of all windows follow by themselves. */
export async function undoSteps(steps: readonly number[]): Promise<void> {
  await attempt(async () => {
    let title = ''
    for (const step of [...steps].sort((a, b) => b - a)) {
      const done = await act<Move>('undo', { step })
      undoneAt.set(step, Date.now())
      title = done.title
    }
    tell(steps.length > 1 ? t`Undone: ${plural(steps.length, 'step')}` : t`Undone: ${title}`, 'info', { label: t('Redo'), run: () => void redo() })
  })
}

/** Makes a step the last one that is not undone; 0: none is left. */
export async function goTo(step: number, forward: boolean): Promise<void> {
  await attempt(async () => {
    const { count } = await act<Move>(forward ? 'redo' : 'undo', { to: step })
    tell(`${forward ? t('Redone') : t('Undone')}: ${plural(count, 'step')}`)
  })
}

/** The button of a notice about a change; none where nothing was changed. */
export function undoOf(...answers: unknown[]): Notice['action'] {
  const steps = answers.map(stepOf).filter((step) => step > 0)
  answers.forEach(noteStep)
  return steps.length ? { label: t('Undo'), run: () => void undoSteps(steps) } : undefined
}

function isWritable(): boolean {
  return getState().about?.library.writable ?? false
}

/** One at a time: keys come faster than answers. */
let last: Promise<unknown> = Promise.resolve()
function inTurn(work: () => Promise<unknown>): Promise<unknown> {
  return (last = last.then(() => attempt(async () => void (await work()))))
}

export function undo(): Promise<unknown> {
  return inTurn(async () => {
    const step = isWritable() ? (await listSteps()).find(({ undone }) => !undone) : undefined
    const stepWhen = step ? (whenMade(step.step) ?? step.time * 1000) : 0
    const setting = settings[settings.length - 1]
    const settingWhen = setting?.when ?? 0
    const draftWhen = drafts?.canUndo ? drafts.changedAt : 0
    if (draftWhen > 0 && draftWhen >= settingWhen && draftWhen >= stepWhen) return drafts?.undo()
    if (setting && settingWhen >= stepWhen) {
      settings = settings.slice(0, -1)
      takenBack = [...takenBack, { ...setting, when: Date.now() }]
      return setting.swap()
    }
    if (!step) return tell(t('Nothing to undo'))
    await undoSteps([step.step])
  })
}

export function redo(): Promise<unknown> {
  return inTurn(async () => {
    const step = isWritable() ? (await listSteps()).filter(({ undone }) => undone).pop() : undefined
    const stepWhen = step ? (undoneAt.get(step.step) ?? 1) : 0
    const setting = takenBack[takenBack.length - 1]
    const settingWhen = setting?.when ?? 0
    const draftWhen = drafts?.canRedo ? drafts.changedAt : 0
    if (draftWhen > 0 && draftWhen >= settingWhen && draftWhen >= stepWhen) return drafts?.redo()
    if (setting && settingWhen >= stepWhen) {
      takenBack = takenBack.slice(0, -1)
      settings = [...settings, { ...setting, when: Date.now() }]
      return setting.swap()
    }
    if (!step) return tell(t('Nothing to redo'))
    const { title } = await act<Move>('redo', {})
    tell(t`Redone: ${title}`, 'info', { label: t('Undo'), run: () => void undoSteps([step.step]) })
  })
}
