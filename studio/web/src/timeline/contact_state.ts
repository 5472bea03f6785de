// contact_state.ts - the leading clip's foot plants while they are edited: kept per clip until saved or
// reverted, so that looking at another clip meanwhile loses nothing.
import type { Clip, Contact } from '../api'
import { messageOf } from '../attempt'
import { Changes } from '../changes'
import { act } from '../operations'
import { change, getState, renewStrips, tell } from '../store'
import { begin, commit, move, redo, same, sorted, undo, type History, type Part } from './contact_edit'

interface Draft {
  saved: Contact[]
  history: History
}

class ContactState extends Changes {
  private readonly drafts = new Map<number, Draft>()
  private clip: Clip | null = null
  /** While a bar is dragged: what it would become. */
  private dragged: Contact[] | null = null
  /** The plant that Tab comes to, as a place in `now`. */
  focused = 0
  /** The plant that is to get the focus once it is drawn, or -1. */
  focusWanted = -1
  busy = false

  load(clip: Clip | null): void {
    if (clip?.id !== this.clip?.id) {
      this.dragged = null
      this.focused = 0
      this.focusWanted = -1
    }
    this.clip = clip
    if (clip) {
      const saved = sorted(clip.contacts)
      const draft = this.drafts.get(clip.id)
      if (!draft) this.drafts.set(clip.id, { saved, history: begin(saved) })
      else if (!same(draft.saved, saved)) this.meet(clip, draft, saved)
    }
    this.tell()
  }

  /** Others are in the library now: they win, unless something was changed here and not saved. */
  private meet(clip: Clip, draft: Draft, saved: Contact[]): void {
    const kept = this.dragging || isEdited(draft)
    const history = kept ? draft.history : begin(saved)
    this.drafts.set(clip.id, { saved, history })
    // An error stays until it is closed, and this one must be seen before the next save.
    const choice = 'Yours are shown: Save replaces those, Revert shows them.'
    if (kept && !same(saved, history.now)) tell(`Contacts of ${clip.name} were changed elsewhere. ${choice}`, 'error')
  }

  /** Forgets what was edited of clips that are in the library no more. */
  keepOnly(ids: ReadonlySet<number>): void {
    for (const id of this.drafts.keys()) if (id > 0 && !ids.has(id)) this.drafts.delete(id)
  }

  /** Something of a clip in the list was changed and not saved. */
  get unsaved(): boolean {
    return getState().cards.some(({ id }) => isEdited(this.drafts.get(id)))
  }

  private get draft(): Draft | undefined {
    return this.clip ? this.drafts.get(this.clip.id) : undefined
  }

  get now(): Contact[] {
    return this.dragged ?? this.draft?.history.now ?? []
  }

  get dragging(): boolean {
    return this.dragged !== null
  }

  get edited(): boolean {
    return isEdited(this.draft)
  }

  get canUndo(): boolean {
    return !!this.draft?.history.past.length
  }

  get canRedo(): boolean {
    return !!this.draft?.history.future.length
  }

  private put(history: History): void {
    const draft = this.draft
    if (!this.clip || !draft) return
    this.drafts.set(this.clip.id, { ...draft, history })
    this.focused = Math.max(0, Math.min(this.focused, history.now.length - 1))
    this.tell()
  }

  focus(at: number): void {
    if (at === this.focused) return
    this.focused = at
    this.tell()
  }

  moveFocus(at: number): void {
    this.focused = at
    this.focusWanted = at
    this.tell()
  }

  /** What is in no library has the plants that it was made with. */
  get fixed(): boolean {
    return this.clip !== null && this.clip.id < 0
  }

  commit(contacts: Contact[]): void {
    const draft = this.draft
    if (draft && !this.fixed) this.put(commit(draft.history, contacts))
  }

  drag(at: number, part: Part, by: number): void {
    const draft = this.draft
    if (!draft?.history.now[at] || !this.clip || this.fixed) return
    this.dragged = move(draft.history.now, at, part, by, this.clip.frames)
    this.tell()
  }

  drop(keep: boolean): void {
    const dragged = this.dragged
    this.dragged = null
    if (keep && dragged) this.commit(dragged)
    this.tell()
  }

  undo(): void {
    if (this.draft) this.put(undo(this.draft.history))
  }

  redo(): void {
    if (this.draft) this.put(redo(this.draft.history))
  }

  revert(): void {
    if (this.draft) this.commit(this.draft.saved)
  }

  save(): Promise<void> {
    return this.send(this.draft?.history.now ?? [])
  }

  /** Forgets what was set, so that they are found in the motion. */
  findAgain(): Promise<void> {
    return this.send(null)
  }

  private async send(contacts: Contact[] | null): Promise<void> {
    const clip = this.clip
    if (!clip || this.busy) return
    const before = this.draft?.history.now ?? []
    this.busy = true
    this.tell()
    try {
      const change = contacts ? { set: { contacts } } : { forget: true }
      const kept = await act<{ contacts: Contact[]; contacts_set: boolean }>('contacts', { clip: clip.id, ...change })
      this.settle(clip.id, before, sorted(kept.contacts))
      replaceContacts(clip.id, kept.contacts, kept.contacts_set)
      renewStrips(clip.id)
      tell(`Contacts of ${clip.name} ${kept.contacts_set ? 'saved' : 'found in its motion'}`)
    } catch (error) {
      tell(messageOf(error), 'error')
    }
    this.busy = false
    this.tell()
  }

  /** They are in the library. What was edited since they were sent stays, and is still to be saved. */
  private settle(id: number, sent: Contact[], saved: Contact[]): void {
    const draft = this.drafts.get(id)
    const dragging = this.dragging && this.clip?.id === id
    const untouched = !draft || (same(draft.history.now, sent) && !dragging)
    this.drafts.set(id, { saved, history: untouched ? begin(saved) : draft.history })
  }
}

function isEdited(draft: Draft | undefined): boolean {
  return !!draft && !same(draft.saved, draft.history.now)
}

/** The viewer draws footprints from the shown clip, so it gets a copy that has the new plants. */
function replaceContacts(id: number, contacts: Contact[], contacts_set: boolean): void {
  const shown = getState().shown.map((each) =>
    each.clip.id === id ? { ...each, clip: { ...each.clip, contacts, contacts_set } } : each,
  )
  change({ shown })
  plants.load(shown[0]?.clip ?? null)
}

export const plants = new ContactState()
